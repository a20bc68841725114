/** A tool of the MCP endpoint: its description for models, the access that it needs, and the API function it calls. */
import { randomBytes } from 'node:crypto';
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import type { CallAccess, Caller } from '#oauth/guard.ts';
import { ServiceError } from '#platform/errors.ts';
import type { BudgetName } from '#platform/http/limits/limits.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { Services } from '#services.ts';
import type { Keyring } from '#store/keys/keyring.ts';

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
  readonly run: (services: Services, caller: Caller, input: Static<Input>) => Promise<object>;
}

/** All hints are required, because clients assume the worst about a missing one. */
type ToolHints = Required<Omit<ToolAnnotations, 'title'>>;

/** A tool whose input has already been validated. */
export interface McpTool extends Omit<TypedTool<TObject>, 'run'> {
  readonly run: (services: Services, caller: Caller, input: never) => Promise<object>;
}

/** The access that a call needs, which depends on its input for some tools. */
export function chooseAccess({ access, isAnonymous }: McpTool, input: unknown): CallAccess {
  return isAnonymous?.((input ?? {}) as Readonly<Record<string, unknown>>) ? { optional: 'token' } : access;
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

/** For a tool whose effect cannot be taken back; done twice, it is done once. */
export const endingHints: ToolHints = { ...readingHints, readOnlyHint: false, destructiveHint: true };

export const writingHints: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** Part of the instructions and of submit_inquiry's description, so that a model reads it before it sends anything. */
export const OPENNESS =
  'Whatever you send and receive here passes through the host of the model, and this service sees it while it seals or opens it; nothing of it is stored in plain text or logged. The investigators of the office read it. To hide it from host and service, the person writes on the site (create_checkout with `in_browser: true`), or a program seals it: the resource sealing.md says how.';

const RANDOM_BYTES = 16;
/** 128 bits in base64url. */
const HALF_LENGTH = 22;

/** One half is random; the other proves that it was issued here for this order, so it need not be stored. */
export function createSubmissionKey(keyring: Keyring, orderId: string): string {
  const random = randomBytes(RANDOM_BYTES).toString('base64url');
  return random + computeProof(keyring, orderId, random);
}

export function requireSubmissionKey(keyring: Keyring, orderId: string, key: string): string {
  const proof = computeProof(keyring, orderId, key.slice(0, HALF_LENGTH));
  if (isEqualInConstantTime(key.slice(HALF_LENGTH), proof)) return key;
  throw new ServiceError('validation_failed', {
    errors: [
      {
        pointer: '/submission_key',
        detail:
          'This is no `submission_key` that create_checkout gave with this order; the same create_checkout with its `idempotency_key` gives one. Without one the inquiry is taken too, but its words come once.',
      },
    ],
  });
}

function computeProof(keyring: Keyring, orderId: string, random: string): string {
  return keyring.tag('submission key', `${orderId}\n${random}`).slice(0, HALF_LENGTH);
}
