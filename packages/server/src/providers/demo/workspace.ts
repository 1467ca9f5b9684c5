import type { DemoRequest } from './request.ts';
import { say, type Script, script, think } from './script.ts';
import { callTool, offered } from './tools.ts';

const CREATE = /^create_workspace$/;
/** There from the first start on. */
const TEMPLATE = 'empty';

/** Tools without a workspace to work in say so. Then one is made, once. */
export function makeWorkspace(request: DemoRequest): Script | undefined {
  const last = request.results.at(-1);
  const create = offered(request, CREATE);
  if (create === undefined || last?.isError !== true || !last.text.includes(create.name)) {
    return undefined;
  }
  if (request.results.some(({ name }) => CREATE.test(name))) return undefined;
  return script(
    think('There is nothing to work in yet.'),
    say('This chat has no workspace yet, so I make one first.\n\n'),
    callTool(create, request.said, [[/^template$/, TEMPLATE]]),
  );
}

/** What happened since the workspace was made: the work begins again there. */
export function sinceWorkspace(request: DemoRequest): DemoRequest {
  const made = request.results.findLastIndex(({ name, isError }) => CREATE.test(name) && !isError);
  if (made === -1) return request;
  // One answer led to the tool that had no workspace, one to the workspace.
  return { ...request, results: request.results.slice(made + 1), rounds: request.rounds - 2 };
}
