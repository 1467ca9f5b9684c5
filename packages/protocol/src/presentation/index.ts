/** How clients present provider-executed calls, sources and file changes. Has no dependencies. */
export { citationMark } from './citation-mark.ts';
export { type FileChange, fileChanges } from './file-changes.ts';
export { type ListedSource, MessageSources } from './message-sources.ts';
export {
  activityLine,
  type ProviderActivity,
  providerActivity,
  resultCount,
} from './provider-activity.ts';
export { readableContent, type ReadablePart } from './readable-content.ts';
export { pageName, type WebPage } from './web-page.ts';
