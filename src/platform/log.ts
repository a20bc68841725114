/** The log: an allow-list of events and their fields. Anything else that a caller passes is not written. */
import { constants, fstatSync, openSync } from 'node:fs';
import { type DestinationStream, destination as fileDestination } from 'pino';
import { formatEngineCode } from './database-codes.ts';
import { toIsoTime } from './text/iso-time.ts';

/** The level numbers of pino, which log readers know. */
const LEVELS = { info: 30, warn: 40, error: 50, fatal: 60 } as const;

/** Each event with its level and the only fields it may carry. */
const events = {
  request: ['info', 'method', 'route', 'status', 'ms', 'request_id'],
  request_failed: ['error', 'request_id', 'code', 'error', 'error_code', 'at'],
  started: ['info', 'version', 'engine', 'pid'],
  not_ready: ['error', 'check', 'reason'],
  ready: ['info'],
  stopping: ['info', 'signal'],
  stopped: ['info', 'ms'],
  stop_timed_out: ['warn', 'ms'],
  certificate_reloaded: ['info', 'valid_to'],
  certificate_not_reloaded: ['error', 'reason'],
  database_waiting: ['warn', 'attempt', 'error_code'],
  database_connection_lost: ['warn', 'error_code'],
  schema_created: ['info', 'version'],
  schema_migrated: ['info', 'name'],
  payment_alarm: ['error', 'reason', 'error', 'error_code', 'provider_request'],
  order_changed: ['info', 'from', 'to'],
  clock_alarm: ['error', 'reason', 'clock', 'expected'],
  clock_differs: ['error', 'seconds'],
  clock_trusted: ['info'],
  sealing_thread_ended: ['error', 'error', 'error_code', 'at'],
  purged: ['info', 'cases', 'lag_s'],
  storage_full: ['warn', 'kind', 'reason'],
  storage_reopened: ['info', 'kind'],
  task_failed: ['error', 'task', 'error', 'error_code', 'at'],
  callback_failed: ['info', 'attempt', 'reason'],
  outbox_failed: ['warn', 'topic', 'attempt', 'reason', 'error', 'error_code', 'at'],
  outbox_given_up: ['error', 'topic', 'attempt', 'reason'],
  mail_checked: ['info'],
  mail_not_working: ['warn', 'reason'],
  sandbox_ended: ['error', 'code'],
  crashed: ['fatal', 'error', 'error_code', 'at'],
} as const satisfies Record<string, readonly [keyof typeof LEVELS, ...string[]]>;

export type LogEventName = keyof typeof events;
export const LOG_EVENT_NAMES = Object.keys(events) as LogEventName[];
type Field<Name extends LogEventName> = (typeof events)[Name] extends readonly [unknown, ...infer Fields]
  ? Extract<Fields[number], string>
  : never;
type Value = string | number | boolean | undefined;

export interface Log {
  event<Name extends LogEventName>(name: Name, fields?: { readonly [F in Field<Name>]?: Value }): void;
  /** Writes the buffered lines synchronously; only for use just before the process exits. */
  readonly flush: () => void;
  /** Writes the buffered lines, but does not wait long for a reader that has stopped reading. */
  readonly close: () => Promise<void>;
}

const FLUSH_AFTER_MS = 200;
/** Each write wakes a thread; more than 16 KiB would be written in parts. */
const BUFFER_BYTES = 12_288;
/** Beyond this, lines are dropped: a stalled reader must not fill the memory. */
const MAX_BUFFER_BYTES = 4_194_304;
const CLOSE_MS = 1_000;
const INHERITED_OUTPUT = 1;

/** Buffers lines and writes them asynchronously: otherwise every request would cost a system call. */
export function openLog(stream: DestinationStream = createBufferedOutput()): Log {
  const flush = () => ('flushSync' in stream ? (stream as Output).flushSync() : undefined);
  return {
    event(name, fields = {}) {
      stream.write(formatLine(name, fields));
      if (events[name][0] === 'fatal') flush();
    },
    flush,
    close: () => ('end' in stream ? endOutput(stream as Output) : Promise.resolve()),
  };
}

function formatLine(name: LogEventName, fields: Readonly<Record<string, Value>>): string {
  const [level, ...allowed]: readonly [keyof typeof LEVELS, ...string[]] = events[name];
  const written = Object.fromEntries(allowed.map((field) => [field, fields[field]]));
  const time = toIsoTime(Date.now());
  return `${JSON.stringify({ level: LEVELS[level], time, event: name, ...written })}\n`;
}

type Output = ReturnType<typeof fileDestination>;

async function endOutput(output: Output): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, CLOSE_MS);
    output.once('close', () => resolve());
    output.end();
  });
  output.destroy();
}

function createBufferedOutput(): Output {
  const output = fileDestination({
    fd: openStandardOutput(),
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_BUFFER_BYTES,
    periodicFlush: FLUSH_AFTER_MS,
  });
  // The service must keep running if the reader of the log goes away, and write again when one comes back: pino's own
  // handler would end the log with the first reader. Failed writes are retried at the next flush.
  output.removeAllListeners('error');
  output.on('error', () => {});
  return output;
}

/**
 * Opens standard output as non-blocking: on the inherited descriptor, a full pipe would block writes and the exit.
 * A file never blocks, and only its inherited descriptor shares a position with standard error: writing from two
 * positions to one file would overwrite lines.
 */
function openStandardOutput(): number {
  try {
    if (fstatSync(INHERITED_OUTPUT).isFile()) return INHERITED_OUTPUT;
    return openSync('/dev/stdout', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
  } catch {
    return INHERITED_OUTPUT;
  }
}

/** Describes an error by its class, code and location; its message may quote user input and is left out. */
export function toErrorTrace(error: unknown): { error: string; error_code?: string; at?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const errorCode = formatEngineCode(error) ?? [code, errcode].filter(isPlainCode).join(':');
  const at = formatErrorLocation(error);
  return {
    error: error.constructor.name,
    ...(errorCode ? { error_code: errorCode } : {}),
    ...(at ? { at } : {}),
  };
}

function isPlainCode(code: unknown): boolean {
  return typeof code === 'number' || (typeof code === 'string' && /^\w{1,40}$/.test(code));
}

/** Uses only the stack's frames, since its first lines repeat the message. */
function formatErrorLocation(error: Error): string {
  const stack = error.stack ?? '';
  const lines = stack.slice(stack.indexOf(error.message) + error.message.length);
  const frames = lines.match(/[\w.-]+:\d+:\d+/g)?.slice(0, 4) ?? [];
  return frames.join(' < ');
}
