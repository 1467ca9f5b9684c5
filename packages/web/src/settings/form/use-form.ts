import { ChatdProblem } from '@chatd/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { useUnsaved } from '../../state/unsaved.ts';

/** What is wrong, by the path of the field: `reasoning_effort.max`. */
export type FieldErrors = Readonly<Record<string, string>>;

export interface FormOptions<Values extends object> {
  /** As it is stored. When that changes elsewhere, a form without changes follows. */
  readonly initial: Values;
  /** What can be told before the server is asked. */
  readonly check?: (values: Values) => FieldErrors;
  /** Answers with what the form holds from then on, where that is not what was saved: secrets are gone. */
  readonly save: (values: Values) => Promise<Values | void>;
  readonly onSaved?: () => void;
  /** Where fields of the form are found fault with, besides at their own names. */
  readonly alsoAt?: readonly string[];
}

export interface Form<Values extends object> {
  readonly values: Values;
  readonly changed: boolean;
  readonly saving: boolean;
  /** Of the last time, until something is changed. */
  readonly saved: boolean;
  /** How often fields were found to be wrong: the next time, attention goes to them again. */
  readonly faults: number;
  /** Why it was not saved, if no field of the form says so. */
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
    if (!changed) setValues(next);
  }, [news, changed]);

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
      setValues(next);
      setSaved(true);
      options.onSaved?.();
    } catch (error) {
      refuse(refusalOf(error, [...Object.keys(values), ...(options.alsoAt ?? [])]));
    } finally {
      setSaving(false);
    }
  };

  return {
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

const same = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);

/** Errors of fields that the form has go to them; whatever else there is to say is said for the whole. */
function refusalOf(error: unknown, fields: readonly string[]): Refusal {
  if (!(error instanceof ChatdProblem)) return { errors: {}, problem: explain(error) };
  const known = error.errors.filter(({ path }) => fields.includes(path.split('.')[0] ?? ''));
  return {
    errors: Object.fromEntries(known.map(({ path, message }) => [path, message])),
    problem: known.length > 0 && known.length === error.errors.length ? undefined : explain(error),
  };
}

/** What is wrong at a path or inside of it, where that is told by its own path. */
function errorAt(errors: FieldErrors, path: string): string | undefined {
  const found = Object.entries(errors)
    .filter(([at]) => at === path || at.startsWith(`${path}.`))
    .map(([at, message]) =>
      at === path ? sentence(message) : `${at.slice(path.length + 1)}: ${message}`,
    );
  return found.length === 0 ? undefined : found.join('; ');
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
