/** A tool of the MCP endpoint: its description for models, the access that it needs, and the API function it calls. */
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
  /** Complete, because a model may read nothing else; of the result, it explains only unclear field names. */
  readonly description: string;
  readonly access: CallAccess;
  /** Whether this input needs no token, because the result does not belong to the caller. */
  readonly isAnonymous?: (input: Readonly<Record<string, unknown>>) => boolean;
  readonly budget?: BudgetName;
  /** The maximum size of a message with a token that calls a tool with long text; otherwise `MESSAGE_BYTES`. */
  readonly messageBytes?: number;
  readonly input: Input;
  /** Asks the person to open the page at the result's `url`. */
  readonly pageMessage?: string;
  readonly annotations: ToolHints;
  /** The result has no schema: all schemas together were longer than everything else that a model has to read. */
  readonly run: (services: Services, call: ToolCall<Static<Input>>) => Promise<object>;
}

/** All hints are required, because clients assume the worst about a missing one. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool whose input has already been validated. */
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

/** Part of the instructions and of submit_inquiry's description, so that a model reads it before it sends anything. */
export const OPENNESS =
  'Whatever you send and receive here passes through the host of the model, and this service sees it while it seals or opens it; nothing of it is stored in plain text or logged. The investigators of the office read it. To hide it from host and service, the person writes on the site (create_checkout with `in_browser: true`), or a program seals it: the resource sealing.md says how.';

/** The explanation of the words for the person. */
export const WORDS_MEANING =
  'without them they cannot come back to the case or read its answer, and the office cannot look them up. The investigators of the office, and the office’s recovery key, can read the case without them.';

export const NO_TOKEN_NEEDED = 'No token is needed.';

/** An input field, because a model cannot set a header. */
export const IdempotencyKey = Type.Optional(Type.String({ description: IDEMPOTENCY_KEY_MEANING }));

export function requireToolCaller(caller: Caller | null): Caller {
  if (caller === null) throw new ServiceError('unauthorized');
  return caller;
}
