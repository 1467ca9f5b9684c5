import { ChatdProblem } from '@chatd/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { FIELDS, type Fields } from './fields.tsx';

/** Errors by field path: `reasoning_effort.max`. */
export type FieldErrors = Readonly<Record<string, string>>;

export interface FormOptions<Values extends object> {
  /** The stored values. A form without changes follows them. */
  readonly initial: Values;
  /** Validation before the request. */
  readonly check?: (values: Values) => FieldErrors;
  /** Returns the new values of the form where they differ from the saved ones: secrets are cleared. */
  readonly save: (values: Values) => Promise<Values | void>;
  readonly onSaved?: () => unknown;
  /** Additional server paths that belong to fields of the form. */
  readonly alsoAt?: readonly string[];
}

export interface Form<Values extends object> extends Fields<Values> {
  readonly values: Values;
  readonly changed: boolean;
  readonly saving: boolean;
  /** Until the next change. */
  readonly saved: boolean;
  /** Incremented on every failed validation, so that the first invalid field is focused again. */
  readonly faults: number;
  /** The error that belongs to no field. */
  readonly problem: string | undefined;
  readonly set: (change: Partial<Values>) => void;
  readonly errorAt: (path: string) => string | undefined;
  readonly reset: () => void;
  readonly submit: (event?: FormEvent) => void;
}

interface Refusal {
  readonly errors: FieldErrors;
  readonly problem: string | undefined;
}
const NONE: Refusal = { errors: {}, problem: undefined };

export function useForm<Values extends object>(options: FormOptions<Values>): Form<Values> {
  const [stored, setStored] = useState(options.initial);
  const [values, setValues] = useState(options.initial);
  const [saving, setSaving] = useState(false);
  const [saved, setSaved] = useState(false);
  const [refusal, setRefusal] = useState(NONE);
  const [faults, setFaults] = useState(0);
  const changed = !same(values, stored);
  const saidToBeSaved = useUnsaved(changed);

  const news = JSON.stringify(options.initial);
  const seen = useRef(news);
  useEffect(() => {
    if (news === seen.current) return;
    seen.current = news;
    const next = JSON.parse(news) as Values;
    setStored(next);
    // What the user chose while saving is kept.
    if (!changed && !saving) setValues(next);
  }, [news, changed, saving]);

  const refuse = (next: Refusal) => {
    setRefusal(next);
    if (Object.keys(next.errors).length > 0) setFaults((times) => times + 1);
  };

  const save = async () => {
    const errors = options.check?.(values) ?? {};
    if (Object.keys(errors).length > 0) return refuse({ errors, problem: undefined });
    setSaving(true);
    setRefusal(NONE);
    try {
      const next = (await options.save(values)) ?? values;
      saidToBeSaved();
      setStored(next);
      setValues((now) => ({ ...next, ...changesBetween(values, now) }));
      setSaved(true);
      options.onSaved?.();
    } catch (error) {
      refuse(refusalOf(error, [...Object.keys(values), ...(options.alsoAt ?? [])]));
    } finally {
      setSaving(false);
    }
  };

  return {
    ...(FIELDS as unknown as Fields<Values>),
    values,
    changed,
    saving,
    saved: saved && !changed,
    problem: refusal.problem,
    faults,
    set(change) {
      setSaved(false);
      setValues((before) => ({ ...before, ...change }));
    },
    errorAt: (path) => errorAt(refusal.errors, path),
    reset() {
      setValues(stored);
      setRefusal(NONE);
    },
    submit(event) {
      event?.preventDefault();
      if (!saving) void save();
    },
  };
}

/** What the user changed while the values were being saved. */
const changesBetween = <Values extends object>(before: Values, now: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => value !== before[name as keyof Values]),
  ) as Partial<Values>;

const same = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);

/** Errors of known fields go to these fields; all others go to the form. */
function refusalOf(error: unknown, fields: readonly string[]): Refusal {
  if (!(error instanceof ChatdProblem)) return { errors: {}, problem: explain(error) };
  const known = error.errors.filter(({ path }) => fields.includes(path.split('.')[0] ?? ''));
  return {
    errors: Object.fromEntries(known.map(({ path, message }) => [path, message])),
    problem: known.length > 0 && known.length === error.errors.length ? undefined : explain(error),
  };
}

/** Errors at a path or below it. */
function errorAt(errors: FieldErrors, path: string): string | undefined {
  const found = Object.entries(errors)
    .filter(([at]) => at === path || at.startsWith(`${path}.`))
    .map(([at, message]) =>
      at === path ? sentence(message) : `${at.slice(path.length + 1)}: ${message}`,
    );
  return found.length === 0 ? undefined : found.join('; ');
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
