/** Gives up connections to PostgreSQL that stay open and answer nothing, as after a failover or behind a firewall that drops. */
import type { Pool, PoolClient } from 'pg';

/** The system asks an idle connection only after two hours whether its other end is still there. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** Work that may take long lifts the server's limit for statements, and with it this one. */
const LIMIT_LIFTED = /^set (?:local )?statement_timeout = 0$/;
const LIMIT_BACK = /^(?:reset statement_timeout|commit|rollback)$/;

type Send = (...values: readonly unknown[]) => unknown;

interface Watch {
  timer: NodeJS.Timeout | undefined;
  isPatient: boolean;
}

/**
 * What is silent for so long with a statement to answer is closed, and with it every connection that rests: they lead the
 * same way. The limit of node-postgres alone would put a silent connection back into the pool.
 */
export function closeSilentConnections(pool: Pool, silenceMs: number): void {
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
    const send = client.query.bind(client) as Send;
    const sendWatched: Send = (...values) => {
      const [query] = values;
      if (LIMIT_LIFTED.test(String(query))) watch.isPatient = true;
      if (LIMIT_BACK.test(String(query))) watch.isPatient = false;
      clearTimeout(watch.timer);
      watch.timer = setTimeout(() => watch.isPatient || closeSilent(client), silenceMs);
      return send(...values);
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
