/** Ends slow statements, and PostgreSQL connections that stay open without answering, as after a failover. */
import { connect } from 'node:net';
import type { Pool, PoolClient } from 'pg';

/** By default, the system probes an idle connection only after two hours. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** Work that may take long lifts the limit for its transaction; a vacuum runs outside any transaction. */
const LIMIT_LIFTED = /^set local statement_timeout = 0$/;
const LIMIT_BACK = /^(?:commit|rollback)$/;
const UNLIMITED = /^vacuum /;
const BEGIN = /^(?:begin|start transaction)\b/;
/** Sent with the first statement of a transaction, only for it: behind pgbouncer the next one has another session. */
const IDLE_LIMIT = 'set local idle_in_transaction_session_timeout';

/** Begins a request to cancel (PostgreSQL, "Message Formats", CancelRequest). */
const CANCEL_CODE = 80_877_102;
/** A live server has answered by then. */
const CANCEL_MS = 2_000;

type Send = (...values: readonly unknown[]) => unknown;

interface Watch {
  timer: NodeJS.Timeout | undefined;
  isPatient: boolean;
}

/**
 * Cancels a statement that is not answered in time. If there is still no answer, closes its connection and every idle
 * one, which lead to the same server. The limit of node-postgres alone would return a silent connection to the
 * pool, and leave the statement running on the server.
 */
export function limitStatements(pool: Pool, limitMs: number): void {
  const watches = new Map<PoolClient, Watch>();
  const closeSilent = (silent: PoolClient) => {
    silent.connection.stream.destroy();
    for (const [client, { timer }] of watches) if (timer === undefined) client.connection.stream.destroy();
  };
  pool.on('connect', (client) => {
    const watch: Watch = { timer: undefined, isPatient: false };
    const stop = () => {
      clearTimeout(watch.timer);
      watch.timer = undefined;
    };
    const endStatement = () => {
      const { timer } = watch;
      // After a pause of this process, the answer may have arrived unread; a cancel would then hit the next statement.
      setImmediate(() => {
        if (timer === undefined || watch.timer !== timer) return;
        cancelStatement(client);
        watch.timer = setTimeout(() => closeSilent(client), CANCEL_MS);
      });
    };
    const send = client.query.bind(client) as Send;
    const sendWatched: Send = (query, ...values) => {
      const text = String(query);
      if (LIMIT_LIFTED.test(text)) watch.isPatient = true;
      if (LIMIT_BACK.test(text)) watch.isPatient = false;
      const isPatient = watch.isPatient || UNLIMITED.test(text);
      clearTimeout(watch.timer);
      watch.timer = setTimeout(() => isPatient || endStatement(), limitMs);
      return send(BEGIN.test(text) ? `${text}; ${IDLE_LIMIT} = ${limitMs}` : query, ...values);
    };
    watches.set(client, watch);
    client.on('drain', stop);
    client.once('end', () => {
      stop();
      watches.delete(client);
    });
    Object.assign(client, { query: sendWatched });
  });
}

/** On a separate connection, as PostgreSQL requires; the original one shows whether it worked. */
function cancelStatement(client: PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Readonly<{
    host: string;
    port: number;
    processID: number | null;
    secretKey: number | null;
  }>;
  // Not every proxy passes them on.
  if (processID === null || secretKey === null) return;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.on('error', () => {});
  socket.setTimeout(CANCEL_MS, () => socket.destroy());
  const message = Buffer.alloc(16);
  for (const [index, value] of [message.length, CANCEL_CODE, processID, secretKey].entries())
    message.writeInt32BE(value, index * 4);
  socket.end(message);
}
