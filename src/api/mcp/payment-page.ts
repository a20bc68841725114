/** Asks a client that supports it to show the person a page: URL-mode elicitation of revision 2026-07-28. */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller } from '#oauth/guard.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { serializeCanonicalJson } from '#platform/text/canonical-json.ts';
import type { Services } from '#services.ts';
import { formatOwner } from '#store/owner.ts';
import { SHOWN_PAGE } from './message.ts';
import { toToolResult } from './tool-result.ts';

/** Long enough to pay; the page itself expires, too. */
const STATE_MS = HOUR_MS;

type Output = Readonly<Record<string, unknown>>;
type StateServices = Pick<Services, 'clock' | 'keyring'>;

/** The call that a state is bound to: the caller, the tool and its arguments. */
export interface PageCall {
  readonly caller: Caller | null;
  readonly tool: string;
  readonly input: Output;
}

interface PageState {
  readonly output: Output;
  readonly made: number;
}

/** Clients of earlier revisions declare this only at the start. It is not stored, so they get the address instead. */
export function canShowPage({ mcpReq: { envelope } }: ServerContext): boolean {
  const declared = envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = declared?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.elicitation?.url !== undefined;
}

/** The client returns the tool's output with its next request, so the output is sealed to prevent forgery. */
export function askToShowPage(
  { clock, keyring }: StateServices,
  call: PageCall,
  { message, output }: { readonly message: string; readonly output: Output },
): InputRequiredResult {
  const state: PageState = { output, made: clock.now() };
  const box = keyring.seal('mcp state', JSON.stringify(state), formatStateContext(call));
  return inputRequired({
    inputRequests: { [SHOWN_PAGE]: inputRequired.elicitUrl({ message, url: String(output['url']) }) },
    requestState: toBase64url(box),
  });
}

/** Throws if the state was not issued to this caller for this call, or is too old. */
export function openPageState({ clock, keyring }: StateServices, call: PageCall, state: string): Output {
  const { output, made } = JSON.parse(
    keyring.open('mcp state', Buffer.from(state, 'base64url'), formatStateContext(call)),
  ) as PageState;
  if (clock.now() - made > STATE_MS) throw new Error('expired');
  return output;
}

export function toShownPageResult({ mcpReq }: ServerContext, output: Output): CallToolResult {
  const answer = inputResponse(mcpReq.inputResponses, SHOWN_PAGE);
  const isAccepted = answer.kind === 'elicit' && answer.action === 'accept';
  return toToolResult(
    output,
    isAccepted
      ? 'The person agreed to open the payment page.'
      : 'The client did not open the payment page; give the person `url`.',
    'Whether it is paid is not known here: look with list_orders before you start another checkout.',
  );
}

function formatStateContext({ caller, tool, input }: PageCall): string {
  return serializeCanonicalJson([caller && formatOwner(caller), tool, input]);
}
