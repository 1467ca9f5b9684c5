import type { ChatEvent, RouteName, Routes } from '@chatd/protocol';
import type { z } from 'zod';

type Answers<Name extends RouteName> = Routes[Name]['answers'];

/** The body of a successful response: JSON, or text for a file. */
type AnswerOf<Shape> = Shape extends z.ZodType
  ? z.output<Shape>
  : Shape extends null
    ? null
    : string;

interface ApiInput<Name extends RouteName> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: Routes[Name] extends { readonly body: infer Body extends z.ZodType }
    ? z.input<Body>
    : undefined;
}

/** Calls of the API on behalf of the client. */
export interface ApiCalls {
  /** Throws `ApiProblem`. */
  call<Name extends RouteName>(
    name: Name,
    input: ApiInput<Name>,
  ): Promise<AnswerOf<Answers<Name>[keyof Answers<Name>]>>;
  /** Follows the events of a chat until the signal is aborted or the server ends the stream. Throws `ApiProblem`. */
  follow(chatId: string, onEvent: (event: ChatEvent) => void, signal: AbortSignal): Promise<void>;
}

/** A call that the API refused. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}
