import type { LabelChanges, Labels } from '@chatd/protocol';

/** The changes from one set to the other. Labels in neither are not affected. */
export function labelChanges(before: Labels, after: Labels): LabelChanges {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const given = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(given) };
}

/** Applies changes the way the server does. */
export function changeLabels(labels: Labels, changes: LabelChanges): Labels {
  const entries = Object.entries({ ...labels, ...changes });
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== null),
  );
}
