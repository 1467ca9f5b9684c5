import { notFound } from '../../chat/refused.ts';
import { errorObject } from '../../openai/error-object.ts';
import { findModel, ModelNames, presentModel, usableModels } from '../../openai/models.ts';
import { OPENAI_ROUTES, type OpenAiRouteName } from '../../openai/routes.ts';
import type { Exchange } from '../exchange.ts';
import type { FaceHandler } from '../face-handler.ts';
import { asProblem } from '../problem.ts';
import type { Services } from '../services.ts';
import { type Answer, json, type OpenAiCall } from './answer.ts';
import { CallerChats } from './caller-chats.ts';
import { Conversations } from './conversations.ts';
import { Responses } from './responses.ts';

/** A handler for every route of the table. Each authorizes and limits its requests, and turns errors into the form of OpenAI. */
export function openAiHandlers(services: Services): {
  readonly [Name in OpenAiRouteName]: FaceHandler;
} {
  const answers = answersOf(services);
  const entries = (Object.keys(OPENAI_ROUTES) as OpenAiRouteName[]).map(
    (name): [OpenAiRouteName, FaceHandler] => [name, handler(services, name, answers[name])],
  );
  return Object.fromEntries(entries) as Record<OpenAiRouteName, FaceHandler>;
}

type AnswerCall = (call: OpenAiCall) => Promise<Answer>;

function answersOf(services: Services): Readonly<Record<OpenAiRouteName, AnswerCall>> {
  const { store } = services;
  const models = new ModelNames();
  const chats = new CallerChats(services);
  const conversations = new Conversations(store, chats, models);
  const responses = new Responses(services, chats, models);
  return {
    createResponse: (call) => responses.create(call),
    getResponse: (call) => responses.get(call),
    cancelResponse: (call) => responses.cancel(call),
    deleteResponse: (call) => responses.delete(call),
    listInputItems: (call) => responses.listInputItems(call),
    createCompletion: (call) => responses.createCompletion(call),
    getCompletion: (call) => responses.getCompletion(call),
    deleteCompletion: (call) => responses.deleteCompletion(call),
    createConversation: (call) => conversations.create(call),
    getConversation: (call) => conversations.get(call),
    updateConversation: (call) => conversations.update(call),
    deleteConversation: (call) => conversations.delete(call),
    listItems: (call) => conversations.listItems(call),
    getItem: (call) => conversations.getItem(call),
    listModels: async ({ caller }) => {
      const usable = await usableModels(store.database, caller.user.id);
      return json({ object: 'list', data: usable.map(presentModel) });
    },
    getModel: async ({ caller, id }) =>
      json(presentModel(await findModel(store.database, caller.user.id, id))),
  };
}

const handler =
  (services: Services, name: OpenAiRouteName, answer: AnswerCall): FaceHandler =>
  async ({ exchange, outgoing, params: { id = '', item = '' } }) => {
    const { scope, costs } = OPENAI_ROUTES[name];
    try {
      const caller = await services.authorizer.authorize(exchange.credentials, scope);
      if (caller === null) throw notFound();
      const leave = await services.limits.admit(costs, { caller, exchange, query: {} });
      let answered: Answer;
      try {
        answered = await answer({ caller, exchange, outgoing, id, item });
      } finally {
        leave();
      }
      return typeof answered === 'function' ? await answered() : answered;
    } catch (error) {
      return openAiError(services, exchange, error);
    }
  };

/** Also for paths that do not exist. */
export function openAiError(services: Services, exchange: Exchange, error: unknown): Response {
  const problem = asProblem(error);
  services.metrics.refusal(problem.body.code);
  const { method, path } = exchange;
  if (problem.unexpected) exchange.log.error({ err: error, method, path }, 'request failed');
  const { status, body } = errorObject(problem.body);
  return json(body, status, problem.headers);
}
