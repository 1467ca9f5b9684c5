import type { Intent } from './intent.ts';
import { askQuestion } from './intents/ask-question.ts';
import { beSlow } from './intents/be-slow.ts';
import { editFile } from './intents/edit-file.ts';
import { failAndRetry } from './intents/fail-and-retry.ts';
import { failForGood } from './intents/fail-for-good.ts';
import { fillContext } from './intents/fill-context.ts';
import { hello } from './intents/hello.ts';
import { markdown } from './intents/markdown.ts';
import { parallelTools } from './intents/parallel-tools.ts';
import { plan } from './intents/plan.ts';
import { runCommand } from './intents/run-command.ts';
import { useTool } from './intents/use-tool.ts';
import type { DemoRequest } from './request.ts';
import { meansATool } from './tools.ts';

/** All intents of the demo model. The first match is used. */
export const INTENTS: readonly Intent[] = [
  markdown,
  failForGood,
  failAndRetry,
  fillContext,
  beSlow,
  parallelTools,
  useTool,
  runCommand,
  editFile,
  askQuestion,
  plan,
  // Last, so that a greeting with a request matches the request.
  hello,
];

export const intentOf = (request: DemoRequest): Intent | undefined =>
  INTENTS.find((intent) => intent.matches(request.said)) ??
  (meansATool(request) ? useTool : undefined);
