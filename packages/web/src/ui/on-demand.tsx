import { type ComponentType, type ReactNode, useEffect, useReducer } from 'react';

export type OnDemand<Props extends object> = ComponentType<Props> & {
  /** Loads the code before it is needed. */
  readonly preload: () => void;
};

/**
 * A component whose code is loaded when it is first rendered, or by `preload`. Until then `waiting` is shown. Suspense
 * would show it for at least 300 ms.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode = null,
): OnDemand<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let loading: Promise<void> | undefined;
  const start = async () => {
    try {
      Loaded = await load();
    } catch (error) {
      failure = { error };
    }
  };
  const loadOnce = () => (loading ??= start());
  function Demanded(props: Props) {
    const [, renderAgain] = useReducer((times: number) => times + 1, 0);
    const Shown = Loaded;
    useEffect(() => {
      // Not Loaded: the code may have arrived between the render and this effect.
      if (Shown === undefined) void loadOnce().then(renderAgain);
    }, [Shown]);
    if (failure !== undefined) throw failure.error;
    return Shown === undefined ? waiting : <Shown {...props} />;
  }
  return Object.assign(Demanded, { preload: () => void loadOnce() });
}
