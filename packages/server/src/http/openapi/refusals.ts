import {
  isMedia,
  isTwoWay,
  type ProblemCode,
  type Route,
  type RouteName,
  routes,
} from '@chatd/protocol';
import { hasCost } from '../../limits/route-costs.ts';
import { takesKey } from '../idempotency.ts';

const ALWAYS: readonly ProblemCode[] = [
  'unknown_field',
  'invalid_text',
  'host_not_allowed',
  'internal',
  'unavailable',
];
const WITH_CALLER: readonly ProblemCode[] = [
  'unauthenticated',
  'token_expired',
  'insufficient_scope',
];
const WITH_SOCKET: readonly ProblemCode[] = [
  'upgrade_required',
  'origin_not_allowed',
  'too_many_requests',
];
const WITH_BODY: readonly ProblemCode[] = ['body_too_large', 'unsupported_media_type'];
const WITH_JSON: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_body',
  'invalid_json',
  'json_too_deep',
];
const WITH_KEY: readonly ProblemCode[] = ['invalid_idempotency_key', 'idempotency_key_reused'];

/** A caller may see what the path names, but lack the role for the call. */
const isShareable = ({ path, scope }: Route): boolean =>
  scope !== 'admin' && /\{(chat|workspace|file)_id\}/.test(path);

/** All codes of a route: those of the table, and those that follow from its shape. */
export function refusalsOf(name: RouteName): ProblemCode[] {
  const route: Route = routes[name];
  const changes = route.method !== 'get';
  const { body } = route;
  return [
    ...new Set<ProblemCode>([
      ...(route.refusals ?? []),
      ...ALWAYS,
      ...(route.scope === null ? [] : WITH_CALLER),
      ...(route.scope === 'admin' ? (['admin_required'] as const) : []),
      ...(isShareable(route) && route.access !== 'viewer' ? (['role_required'] as const) : []),
      ...(route.params === undefined ? [] : (['invalid_id', 'not_found'] as const)),
      ...(changes ? (['origin_not_allowed'] as const) : (['query_timeout'] as const)),
      ...(isTwoWay(route.answers[101]) ? WITH_SOCKET : []),
      ...(body === undefined ? [] : WITH_BODY),
      ...(body === undefined || isMedia(body) ? [] : WITH_JSON),
      ...(takesKey(route) ? WITH_KEY : []),
      ...(hasCost(name) ? (['too_many_requests'] as const) : []),
    ]),
  ];
}
