import { type ReactNode, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { duration } from '../../format/time.ts';

export interface Tested {
  readonly ok: boolean;
  readonly message: string;
  readonly latency_ms: number;
}

export type TestState<T extends Tested> =
  | { readonly kind: 'none' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'answered'; readonly answer: T };

/** Tests a connection and shows the result. */
export function useTest<T extends Tested>(ask: () => Promise<T>) {
  const [state, setState] = useState<TestState<T>>({ kind: 'none' });
  const run = async (): Promise<T | undefined> => {
    setState({ kind: 'asking' });
    try {
      const answer = await ask();
      setState({ kind: 'answered', answer });
      return answer;
    } catch (error) {
      setState({ kind: 'failed', reason: explain(error) });
      return undefined;
    }
  };
  return { state, run };
}

export function TestButton<T extends Tested>({
  test,
  label,
  ...props
}: Omit<ButtonProps, 'onClick' | 'children'> & {
  readonly test: ReturnType<typeof useTest<T>>;
  /** The tested object, for screen readers. */
  readonly label: string;
}) {
  const asking = test.state.kind === 'asking';
  return (
    <Button {...props} aria-label={label} disabled={asking} onClick={() => void test.run()}>
      {asking && <Spinner />}
      {asking ? 'Testing…' : 'Test'}
    </Button>
  );
}

export function TestAnswer<T extends Tested>({
  state,
  children,
}: {
  readonly state: TestState<T>;
  /** Additional results. */
  readonly children?: (answer: T) => ReactNode;
}) {
  switch (state.kind) {
    case 'none':
      return null;
    case 'asking':
      return (
        <p role="status" className="text-sm text-muted">
          Waiting for a response…
        </p>
      );
    case 'failed':
      return (
        <Notice kind="bad" live title="The test could not run">
          {state.reason}
        </Notice>
      );
    case 'answered': {
      const { answer } = state;
      return (
        <Notice
          kind={answer.ok ? 'good' : 'bad'}
          live
          title={answer.ok ? 'Test passed' : 'Test failed'}
        >
          <p>
            {answer.message}
            {/* A passed test includes the time in its message. */}
            {!answer.ok && <span className="text-muted"> Took {duration(answer.latency_ms)}.</span>}
          </p>
          {children?.(answer)}
        </Notice>
      );
    }
  }
}
