import type { RouteName } from '@chatd/protocol';
import { A2A_PATH } from '../a2a/agent-card.ts';
import { OPENAI_ROUTES } from '../openai/routes.ts';
import { a2aEndpoint } from './a2a.ts';
import type { FaceHandler } from './face-handler.ts';
import { MCP_PATH, mcpEndpoint } from './mcp-endpoint.ts';
import { openAiHandlers } from './openai/handlers.ts';
import type { Serve } from './serve.ts';
import type { Services } from './services.ts';

interface FaceRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
}

/**
 * Every path of another protocol than the API, by name. Only these are served, and `test/sharing/walk.test.ts` tries each of
 * them as every kind of caller: one without a handler or an expectation does not compile.
 */
export const FACE_ROUTES = {
  ...OPENAI_ROUTES,
  mcp: { method: 'POST', path: MCP_PATH },
  a2a: { method: 'POST', path: A2A_PATH },
} as const satisfies Readonly<Record<string, FaceRoute>>;

export type FaceRouteName = keyof typeof FACE_ROUTES;

/** `serves` performs calls of the API. */
export const faceHandlers = (
  services: Services,
  serves: Readonly<Record<RouteName, Serve>>,
): { readonly [Name in FaceRouteName]: FaceHandler } => ({
  ...openAiHandlers(services),
  mcp: mcpEndpoint(services, serves),
  a2a: a2aEndpoint(services, serves),
});

/** The allowed methods of paths whose protocol has no response of its own for unknown paths. */
export const FACE_METHODS: readonly (readonly [path: string, methods: string])[] = [
  [MCP_PATH, FACE_ROUTES.mcp.method],
  [A2A_PATH, FACE_ROUTES.a2a.method],
];
