/** Has the client show a page to the person itself, if it can: URL-mode elicitation of revision 2026-07-28. */
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
import { formatOwner } from '#payments/owner.ts';
import { toBase64url } from '#platform/base64url.ts';
import type { Services } from '#services.ts';
import { toToolResult } from './tool-result.ts';

const PAGE = 'page';

type Output = Readonly<Record<string, unknown>>;

/** Earlier revisions are told a client's abilities once, at a beginning that nobody here remembers: they get the address. */
export function canShowPage({ mcpReq: { envelope } }: ServerContext): boolean {
  const declared = envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = declared?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.elicitation?.url !== undefined;
}

/** What the tool returned travels with the client until it asks again: sealed, so that nobody else can have written it. */
export function askToShowPage(
  { keyring }: Pick<Services, 'keyring'>,
  caller: Caller | null,
  { message, output }: { readonly message: string; readonly output: Output },
): InputRequiredResult {
  const box = keyring.seal('mcp state', JSON.stringify(output), formatStateContext(caller));
  return inputRequired({
    inputRequests: { [PAGE]: inputRequired.elicitUrl({ message, url: String(output['url']) }) },
    requestState: toBase64url(box),
  });
}

/** Throws if the state is not one that this caller was given. */
export function openPageState(
  { keyring }: Pick<Services, 'keyring'>,
  caller: Caller | null,
  state: string,
): Output {
  return JSON.parse(
    keyring.open('mcp state', Buffer.from(state, 'base64url'), formatStateContext(caller)),
  ) as Output;
}

export function toShownPageResult({ mcpReq }: ServerContext, output: Output): CallToolResult {
  const answer = inputResponse(mcpReq.inputResponses, PAGE);
  const isOpened = answer.kind === 'elicit' && answer.action === 'accept';
  return toToolResult(
    output,
    isOpened
      ? 'The person has opened the payment page. Whether it is paid, only list_orders tells.'
      : 'The person has not opened the payment page. Nothing is paid.',
  );
}

function formatStateContext(caller: Caller | null): string {
  return caller ? formatOwner(caller) : '';
}
