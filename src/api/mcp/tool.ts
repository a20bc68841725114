/** A tool of the MCP endpoint: what a model reads about it, what it may need, and the function of the API that it calls. */
import { type Static, type TObject, Type } from 'typebox';
import type { CallAccess, Caller } from '#oauth/guard.ts';
import { ServiceError } from '#platform/errors.ts';
import { IDEMPOTENCY_KEY_MEANING } from '#platform/http/idempotency-key.ts';
import type { BudgetName } from '#platform/http/limits/limits.ts';
import type { Services } from '#services.ts';

interface ToolCall<Input> {
  /** Null only if the tool needs no token. */
  readonly caller: Caller | null;
  readonly input: Input;
}

interface TypedTool<Input extends TObject> {
  readonly name: string;
  readonly title: string;
  /** Stands alone, since a model may read nothing else; of the answer it says what the names of its fields do not. */
  readonly description: string;
  readonly access: CallAccess;
  /** With this input, a token is not needed: the caller has nothing to do with what comes of it. */
  readonly isAnonymous?: (input: Readonly<Record<string, unknown>>) => boolean;
  readonly budget?: BudgetName;
  /** How long a call may be, if it takes text; only with a token. */
  readonly messageBytes?: number;
  readonly input: Input;
  /** A page of the answer's `url` that a person has to open. */
  readonly pageMessage?: string;
  readonly annotations: ToolHints;
  /** No schema says what comes of it: those of all answers were longer than all else that a model is given to read. */
  readonly run: (services: Services, call: ToolCall<Static<Input>>) => Promise<object>;
}

/** Every one is said: clients assume the worst of what is left out. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** With its input already validated. */
export interface McpTool extends Omit<TypedTool<TObject>, 'run'> {
  readonly run: (services: Services, call: ToolCall<never>) => Promise<object>;
}

export function defineTool<Input extends TObject>(tool: TypedTool<Input>): McpTool {
  return tool;
}

export const readingHints: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const writingHints: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** In the instructions, and where a story is sent: read once before anything is told. */
export const OPENNESS =
  'Whatever you send and receive here passes through the host of the model, and this service sees it while it seals or opens it; nothing of it is stored in plain text or logged. The investigators of the office read it. To hide it from host and service, the person writes on the site (create_checkout with `in_browser: true`), or a program seals it: the resource sealing.md says how.';

/** What a person is told with the words. */
export const WORDS_MEANING =
  'without them they cannot come back to the case or read its answer, and the office cannot look them up. The investigators of the office, and the office’s recovery key, can read the case without them.';

export const NO_TOKEN_NEEDED = 'No token is needed.';

/** A model cannot set a header. */
export const IdempotencyKey = Type.Optional(Type.String({ description: IDEMPOTENCY_KEY_MEANING }));

export function requireToolCaller(caller: Caller | null): Caller {
  if (caller === null) throw new ServiceError('unauthorized');
  return caller;
}
