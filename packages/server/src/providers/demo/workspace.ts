import type { DemoRequest } from './request.ts';
import { say, type Script, script, think } from './script.ts';
import { callTool, offered } from './tools.ts';

const CREATE = /^create_workspace$/;
/** The template that exists from the first start. */
const TEMPLATE = 'empty';

/** If a tool reports that there is no workspace, creates one, once. */
export function makeWorkspace(request: DemoRequest): Script | undefined {
  const last = request.results.at(-1);
  const create = offered(request, CREATE);
  if (create === undefined || last?.isError !== true || !last.text.includes(create.name)) {
    return undefined;
  }
  if (request.results.some(({ name }) => CREATE.test(name))) return undefined;
  return script(
    think('There is no workspace yet.'),
    say("This chat has no workspace yet, so I'll create one first.\n\n"),
    callTool(create, request.said, [[/^template$/, TEMPLATE]]),
  );
}

/** The request since the workspace was created: the work starts again there. */
export function sinceWorkspace(request: DemoRequest): DemoRequest {
  const made = request.results.findLastIndex(({ name, isError }) => CREATE.test(name) && !isError);
  if (made === -1) return request;
  // One response called the tool without a workspace, one created the workspace.
  return { ...request, results: request.results.slice(made + 1), rounds: request.rounds - 2 };
}
