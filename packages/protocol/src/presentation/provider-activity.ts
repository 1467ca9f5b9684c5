import type { ToolCallPart, ToolResultPart } from '../part.ts';
import { fieldsOf, listedPages, pageName, textField, type WebPage } from './web-page.ts';

/** Base form, progressive and past tense. */
type ActivityVerb = readonly [base: string, going: string, done: string];

/** A provider-executed call. */
export interface ProviderActivity {
  readonly kind: 'search' | 'page' | 'code' | 'tool';
  readonly verb: ActivityVerb;
  /** The object of the verb: a quoted query, a URL or a tool name. Empty until known. */
  readonly about: string;
  /** The pages that a search found. Undefined: the provider does not list them. */
  readonly results: readonly WebPage[] | undefined;
  /** The page that was opened or searched. */
  readonly page?: WebPage;
}

const SEARCHES: ReadonlySet<string> = new Set([
  'web_search',
  'web_search_preview',
  'google_search',
]);
const FETCHES: ReadonlySet<string> = new Set(['web_fetch', 'url_context']);
const CODE = /(?:^|_)code_(?:execution|interpreter)$/;

type Call = Pick<ToolCallPart, 'tool_name' | 'args'>;
type Result = Pick<ToolResultPart, 'result' | 'is_error'>;

export function providerActivity(call: Call, result?: Result): ProviderActivity {
  const args = fieldsOf(call.args);
  const { tool_name: name } = call;
  if (SEARCHES.has(name)) return searchActivity(textField(args, 'query'), result);
  if (FETCHES.has(name)) return openedPage(textField(args, 'url'), fetchedTitle(result));
  if (CODE.test(name)) {
    return {
      kind: 'code',
      verb: ['run code', 'running code', 'ran code'],
      about: '',
      results: undefined,
    };
  }
  return { kind: 'tool', verb: ['call', 'calling', 'called'], about: name, results: undefined };
}

/** OpenAI reports with the result whether it searched, opened a page or searched within it. */
function searchActivity(query: string, result: Result | undefined): ProviderActivity {
  const action = fieldsOf(fieldsOf(result?.result)['action']);
  const url = textField(action, 'url');
  const type = textField(action, 'type').toLowerCase().replaceAll('_', '');
  if (type === 'openpage') return openedPage(url, '');
  if (type === 'findinpage') {
    return {
      kind: 'page',
      verb: ['search', 'searching', 'searched'],
      about: `for ${quoted(textField(action, 'pattern'))} in ${pageName(url)}`,
      results: undefined,
      page: { url },
    };
  }
  const asked = query === '' ? textField(action, 'query') : query;
  return {
    kind: 'search',
    verb: ['search the web', 'searching the web', 'searched the web'],
    about: asked === '' ? '' : `for ${quoted(asked)}`,
    results: result?.is_error === true ? undefined : listedPages(result?.result),
  };
}

function openedPage(url: string, title: string): ProviderActivity {
  const page = title === '' ? { url } : { url, title };
  return {
    kind: 'page',
    verb: ['open', 'opening', 'opened'],
    about: pageName(url),
    results: undefined,
    ...(url !== '' && { page }),
  };
}

const fetchedTitle = (result: Result | undefined): string =>
  textField(fieldsOf(fieldsOf(result?.result)['content']), 'title');

const quoted = (text: string): string => `“${text.replaceAll(/\s+/g, ' ').trim()}”`;

type ActivityState = 'running' | 'done' | 'failed';

/** An activity in one line: “Searched the web for “weather” · 10 results”. */
export function activityLine(activity: ProviderActivity, state: ActivityState): string {
  const [base, going, done] = activity.verb;
  const words = { running: going, done, failed: `could not ${base}` }[state];
  const line = `${words.charAt(0).toUpperCase()}${words.slice(1)} ${activity.about}`.trim();
  const count = resultCount(activity);
  return count === '' ? line : `${line} · ${count}`;
}

/** `10 results`. Empty if the provider does not list them. */
export function resultCount({ results }: ProviderActivity): string {
  if (results === undefined) return '';
  return results.length === 1 ? '1 result' : `${results.length} results`;
}
