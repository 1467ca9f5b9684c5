/** Sequential IDs: `toolu_0001`, `toolu_0002`, … */
export type Ids = (prefix: string) => string;

export function countingIds(): Ids {
  let count = 0;
  return (prefix) => `${prefix}_${String(++count).padStart(4, '0')}`;
}
