import type { Json } from '@chatd/protocol';
import { safeText } from '../../markdown/safe-text.ts';
import { BoundedText } from './bounded-text.tsx';
import { isObject } from './read-view.ts';

/** Deeper values are shown as JSON. */
const DEEPEST = 3;

/** Any JSON value as a readable list of fields. */
export function Fields({ value }: { readonly value: Json | undefined }) {
  if (value === undefined || value === null || value === '') {
    return <p className="px-3 py-2 text-sm text-muted">Empty</p>;
  }
  if (typeof value === 'string') return <BoundedText text={value} />;
  if (!isObject(value) || !isShallow(value, 0)) {
    return <BoundedText text={JSON.stringify(value, null, 2)} />;
  }
  return (
    <dl className="grid grid-cols-[fit-content(40%)_1fr] gap-x-4 gap-y-1 px-3 py-2 text-sm">
      {Object.entries(value).map(([name, field]) => (
        <div key={name} className="contents">
          <dt className="truncate text-muted">{safeText(name.replaceAll('_', ' '))}</dt>
          <dd className="min-w-0 wrap-anywhere whitespace-pre-wrap">{safeText(shown(field))}</dd>
        </div>
      ))}
    </dl>
  );
}

function isShallow(value: Json | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEEPEST) return false;
  return Object.values(value).every((item) => isShallow(item, depth + 1));
}

function shown(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(shown).join('\n');
  if (isObject(value)) {
    return Object.entries(value)
      .map(([name, item]) => `${name.replaceAll('_', ' ')}: ${shown(item)}`)
      .join(', ');
  }
  return JSON.stringify(value) ?? '';
}
