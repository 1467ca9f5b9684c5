import { searchTable } from '../scaling/table.ts';
import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface SearchData {
  /** Chats on a page. */
  readonly limit: number;
  /** Per kind. */
  readonly searches: number;
  /** Smallest first. */
  readonly sizes: readonly SearchSize[];
}

/** A deployment and its searches. */
export interface SearchSize {
  readonly messages: number;
  readonly chats: number;
  readonly users: number;
  readonly rows: readonly SearchRow[];
  /** Bytes on disk per message. */
  readonly searchBytes: number;
  readonly messageBytes: number;
  /** Messages that the indexers indexed per second. Undefined: an earlier run has indexed them. */
  readonly indexedPerSecond?: number;
}

export interface SearchRow {
  readonly kind: string;
  /** Average number of matches, capped at one more than a page. */
  readonly chats: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export const searchReport = defineReport<SearchData>({
  result: 'search',
  command: 'npm run bench:search -- --keep',
  render(result) {
    const { sizes, limit, searches } = result.data;
    const kinds = sizes[0]?.rows.map(({ kind }) => kind) ?? [];
    const table = markdownTable(
      [
        'search',
        ...sizes.flatMap(({ messages }) => [
          `> p50, ms: ${formatNumber(messages)} messages`,
          '> p99, ms',
          '> chats found',
        ]),
      ],
      kinds.map((kind, index) => [
        kind,
        ...sizes.flatMap(({ rows }) => {
          const row = rows[index];
          return [row?.p50Ms, row?.p99Ms, row?.chats].map((value) => formatNumber(value, 1));
        }),
      ]),
    );
    const deployments = sizes.map(
      ({ messages, chats, users }) =>
        `${formatNumber(messages)} messages in ${formatNumber(chats)} chats of ${formatNumber(users)} users`,
    );
    const note = `${deployments.join('; ')}. Pages of ${limit} chats with snippets, ${searches} searches per kind.`;
    const largest = sizes.at(-1);
    return {
      blocks: {
        'scaling-search': withProvenance(result, searchTable(result.data)),
        search: withProvenance(result, table, note),
      },
      figures: {
        indexBytes: formatNumber(largest?.searchBytes),
        messageBytes: formatNumber(largest?.messageBytes),
        indexedPerSecond: formatNumber(largest?.indexedPerSecond),
      },
    };
  },
});
