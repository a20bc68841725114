/** Reads a protocol message, so that the SDK sees only known fields within fixed limits. */
import type { IncomingHttpHeaders } from 'node:http';

/** The limit of every message except calls to tools that accept text. */
export const MESSAGE_BYTES = 8 * 1_024;

/** The only input that a tool requests: whether a page was shown. */
export const SHOWN_PAGE = 'page';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
/** From this revision on, errors have an HTTP status; before, they were sent with 200. */
const FIRST_PRESENT_REVISION = '2026-07-28';

const MAX_TEXT = 200;
const MAX_URI = 2_000;
const MAX_STATE = 6_000;
const MAX_HEADER = 4_096;
const MAX_FIELDS = 64;

type Fields = Readonly<Record<string, unknown>>;
type MessageId = string | number;

export interface ProtocolMessage {
  readonly jsonrpc: '2.0';
  readonly id: MessageId;
  readonly method: string;
  readonly params: Fields;
}

/** JSON-RPC 2.0 §5.1. */
const INVALID_REQUEST = -32_600;
const UNKNOWN_METHOD = -32_601;
const INVALID_PARAMS = -32_602;

/** An error whose text says why a message is refused, without quoting it. */
export class MessageFault extends Error {
  readonly code: number;

  constructor(code: number, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** Returns null for a notification, which needs no response. */
export function readMessage(value: unknown): ProtocolMessage | null {
  const { jsonrpc, id, method, params = {} } = isFields(value) ? value : {};
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    throw new MessageFault(INVALID_REQUEST, 'This is no request of JSON-RPC 2.0.');
  if (id === undefined) return null;
  if (!isMessageId(id))
    throw new MessageFault(INVALID_REQUEST, 'The id is neither a whole number nor a short text.');
  const readParams = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!readParams) throw new MessageFault(UNKNOWN_METHOD, 'There is no method of this name.');
  if (!isFields(params)) throw new MessageFault(INVALID_PARAMS, 'params must be an object.');
  return { jsonrpc, id, method, params: { ...readParams(params), ...readMeta(params['_meta']) } };
}

/** Returns the body of the response, with the id of the message if that is valid. */
export function serializeFault({ code, message }: MessageFault, value: unknown): Buffer {
  const { id } = isFields(value) ? value : {};
  return Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: isMessageId(id) ? id : null, error: { code, message } }),
  );
}

export function chooseFaultStatus({ code }: MessageFault, headers: IncomingHttpHeaders): number {
  if (code === INVALID_REQUEST) return 400;
  if (String(headers['mcp-protocol-version'] ?? '') < FIRST_PRESENT_REVISION) return 200;
  return code === UNKNOWN_METHOD ? 404 : 400;
}

/** The headers that the SDK compares with a message. Their length is limited, because it quotes them in errors. */
export function readProtocolHeaders(headers: IncomingHttpHeaders): [name: string, value: string][] {
  const names = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  return names.flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    if (value.length > MAX_HEADER)
      throw new MessageFault(INVALID_REQUEST, 'A header of the protocol is too long.');
    return [[name, String(value)]];
  });
}

/** The methods that are served, and which of their parameters are read; all others are dropped here. */
const methods: Readonly<Record<string, (params: Fields) => Fields>> = {
  initialize: (params) => ({
    protocolVersion: readText(params, 'protocolVersion'),
    clientInfo: readClient(params['clientInfo']),
    capabilities: readCapabilities(params['capabilities']),
  }),
  ping: () => ({}),
  'server/discover': () => ({}),
  'tools/list': readCursor,
  'tools/call': (params) => ({
    name: readText(params, 'name'),
    ...readOptional(params, 'arguments', readArguments),
    ...readOptional(params, 'requestState', () => readText(params, 'requestState', MAX_STATE)),
    ...readOptional(params, 'inputResponses', readInputResponses),
  }),
  'resources/list': readCursor,
  'resources/templates/list': readCursor,
  'resources/read': (params) => ({ uri: readText(params, 'uri', MAX_URI) }),
  'prompts/list': readCursor,
  'prompts/get': (params) => ({
    name: readText(params, 'name'),
    ...readOptional(params, 'arguments', (value) => {
      const given = readArguments(value);
      return readOptional(given, 'tier', () => readText(given, 'tier'));
    }),
  }),
};

/** Drops the cursor, because no list here has a second page. */
function readCursor(params: Fields): Fields {
  if (params['cursor'] !== undefined) readText(params, 'cursor');
  return {};
}

/** The SDK distinguishes revisions by the version, and reports what is missing. */
function readMeta(meta: unknown): Fields {
  if (meta === undefined) return {};
  const fields = requireFields(meta, '_meta');
  return {
    _meta: {
      ...readOptional(fields, VERSION_KEY, () => readText(fields, VERSION_KEY)),
      ...readOptional(fields, CLIENT_KEY, readClient),
      ...readOptional(fields, CAPABILITIES_KEY, readCapabilities),
    },
  };
}

function readClient(value: unknown): Fields {
  const fields = requireFields(value, 'clientInfo');
  return { name: readText(fields, 'name'), version: readText(fields, 'version') };
}

/** Reads the only relevant capability: showing a page. */
function readCapabilities(value: unknown): Fields {
  const { elicitation } = requireFields(value, 'capabilities');
  return isFields(elicitation) && isFields(elicitation['url']) ? { elicitation: { url: {} } } : {};
}

/** Only limits the number of arguments: the schema of the tool checks the rest. */
function readArguments(value: unknown): Fields {
  const fields = requireFields(value, 'arguments');
  if (Object.keys(fields).length > MAX_FIELDS)
    throw new MessageFault(INVALID_PARAMS, `There are more than ${MAX_FIELDS} arguments.`);
  return fields;
}

function readInputResponses(value: unknown): Fields {
  const { [SHOWN_PAGE]: page } = requireFields(value, 'inputResponses');
  const action = isFields(page) ? page['action'] : undefined;
  const isKnown = action === 'accept' || action === 'decline' || action === 'cancel';
  return isKnown ? { [SHOWN_PAGE]: { action } } : {};
}

function readOptional(fields: Fields, name: string, read: (value: unknown) => unknown): Fields {
  return fields[name] === undefined ? {} : { [name]: read(fields[name]) };
}

function readText(fields: Fields, name: string, max = MAX_TEXT): string {
  const value = fields[name];
  if (typeof value === 'string' && value.length <= max) return value;
  throw new MessageFault(INVALID_PARAMS, `${name} must be a text of at most ${max} characters.`);
}

function requireFields(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw new MessageFault(INVALID_PARAMS, `${name} must be an object.`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMessageId(id: unknown): id is MessageId {
  return typeof id === 'string' ? id.length <= MAX_TEXT : Number.isSafeInteger(id);
}
