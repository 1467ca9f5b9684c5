import { searchTable } from '../scaling/table.ts';
import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface SearchData {
  readonly messages: number;
  readonly chats: number;
  readonly users: number;
  /** Chats on a page. */
  readonly limit: number;
  /** Per kind. */
  readonly searches: number;
  readonly rows: readonly SearchRow[];
  /** Bytes on disk per message. */
  readonly searchBytes: number;
  readonly messageBytes: number;
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
    const { data } = result;
    const table = markdownTable(
      ['search', '> chats found', '> p50, ms', '> p99, ms', '> max, ms'],
      data.rows.map(({ kind, chats, p50Ms, p99Ms, maxMs }) => [
        kind,
        ...[chats, p50Ms, p99Ms, maxMs].map((value) => formatNumber(value, 1)),
      ]),
    );
    const { messages, chats, users, limit, searches } = data;
    const [all, of, by] = [messages, chats, users].map((value) => formatNumber(value));
    const note = `${all} messages in ${of} chats of ${by} users; pages of ${limit} chats with snippets, ${searches} searches per kind.`;
    return {
      blocks: {
        'scaling-search': withProvenance(result, searchTable(data)),
        search: withProvenance(result, table, note),
      },
      figures: {
        indexBytes: formatNumber(data.searchBytes),
        messageBytes: formatNumber(data.messageBytes),
      },
    };
  },
});
