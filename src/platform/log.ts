/** The log as an allow-list: named events with named fields; nothing else a caller passes is ever written. */
import { constants, openSync } from 'node:fs';
import { type DestinationStream, destination as fileDestination, type LevelWithSilent, pino } from 'pino';

/** Each event with its level and the only fields it may carry. */
const events = {
  request: ['info', 'method', 'route', 'status', 'ms', 'request_id'],
  request_failed: ['error', 'request_id', 'code', 'error', 'error_code', 'at'],
  started: ['info', 'engine', 'pid'],
  stopping: ['info', 'signal'],
  stopped: ['info', 'ms'],
  stop_timed_out: ['warn', 'ms'],
  certificate_reloaded: ['info', 'valid_to'],
  certificate_not_reloaded: ['error', 'reason'],
  database_waiting: ['warn', 'attempt', 'error_code'],
  database_connection_lost: ['warn', 'error_code'],
  schema_migrated: ['info', 'version', 'name'],
  payment_alarm: ['error', 'reason', 'error', 'error_code', 'provider_request'],
  order_changed: ['info', 'order_id', 'from', 'to'],
  purged: ['info', 'cases', 'lag_s'],
  task_failed: ['error', 'task', 'error', 'error_code', 'at'],
  outbox_failed: ['warn', 'topic', 'attempt', 'error', 'error_code', 'at'],
  outbox_given_up: ['error', 'topic', 'attempt'],
  sandbox_ended: ['error', 'code'],
  crashed: ['fatal', 'error', 'error_code', 'at'],
} as const satisfies Record<string, readonly [Exclude<LevelWithSilent, 'silent'>, ...string[]]>;

type LogEventName = keyof typeof events;
type Field<Name extends LogEventName> = (typeof events)[Name] extends readonly [unknown, ...infer Fields]
  ? Extract<Fields[number], string>
  : never;
type Value = string | number | boolean | undefined;

export interface Log {
  event<Name extends LogEventName>(name: Name, fields?: { readonly [F in Field<Name>]?: Value }): void;
  /** Writes what is gathered, at once; only for the moment before an end. */
  readonly flush: () => void;
  /** The same without waiting for a reader who has stopped reading. */
  readonly close: () => Promise<void>;
}

const FLUSH_AFTER_MS = 200;
const BUFFER_BYTES = 4_096;
/** Beyond this, lines are dropped: a reader who stalls must not fill the memory. */
const MOST_BYTES = 4_194_304;
const CLOSE_MS = 1_000;

/** Lines are gathered and written off the event loop: a log line per request would else cost a system call each. */
export function openLog(stream: DestinationStream = createBufferedOutput()): Log {
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, level: 'info' }, stream);
  return {
    event(name, fields = {}) {
      const [level, ...allowed]: readonly [Exclude<LevelWithSilent, 'silent'>, ...string[]] = events[name];
      const line: Record<string, Value> = { event: name };
      for (const field of allowed) {
        const value = (fields as Record<string, Value>)[field];
        if (value !== undefined) line[field] = value;
      }
      logger[level](line);
    },
    flush: () => ('flushSync' in stream ? (stream as Output).flushSync() : undefined),
    close: () => ('end' in stream ? endOutput(stream as Output) : Promise.resolve()),
  };
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
    maxLength: MOST_BYTES,
    periodicFlush: FLUSH_AFTER_MS,
  });
  // A reader of the log that goes away must not take the service with it.
  output.on('error', () => {});
  return output;
}

/** Opened anew, so that a write to a full pipe returns; on the inherited one it would block, and the exit with it. */
function openStandardOutput(): number {
  try {
    return openSync('/dev/stdout', constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK);
  } catch {
    return 1;
  }
}

/** An error without its message, which may quote what a person typed: its class, its code and where it arose. */
export function toErrorTrace(error: unknown): { error: string; error_code?: string; at?: string } {
  if (!(error instanceof Error)) return { error: typeof error };
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const errorCode = [code, errcode].filter(isPlainCode).join(':');
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

/** The stack's own frames only: its head repeats the message. */
function formatErrorLocation(error: Error): string {
  const stack = error.stack ?? '';
  const frames = stack.slice(stack.indexOf(error.message) + error.message.length).match(/[\w.-]+:\d+:\d+/g);
  return frames?.slice(0, 4).join(' < ') ?? '';
}
