/** Does what falls due by itself: expiry of sessions, settlement of late payments, failure of refunds. */
import type { State } from './state.ts';

export type Task = 'expire_session' | 'settle_payment' | 'fail_payment' | 'fail_refund';
export type TaskHandlers = Readonly<Record<Task, (subject: string) => void>>;

/** Timers of Node overflow beyond 24 days; looking again after a minute costs nothing. */
const LONGEST_SLEEP_MS = 60_000;

export class Schedule {
  readonly #state: State;
  #handlers: TaskHandlers | undefined;
  #timer: NodeJS.Timeout | undefined;
  #afterwards: () => void = () => {};

  constructor(state: State) {
    this.#state = state;
  }

  add(task: Task, subject: string, at: number): void {
    this.#state.run('INSERT INTO due (task, subject, at) VALUES (?, ?, ?)', task, subject, at);
  }

  start(handlers: TaskHandlers, afterwards: () => void): void {
    this.#handlers = handlers;
    this.#afterwards = afterwards;
    this.wake();
  }

  stop(): void {
    this.#handlers = undefined;
    clearTimeout(this.#timer);
  }

  /** Does what is due now and sleeps until the next task. */
  wake(): void {
    clearTimeout(this.#timer);
    if (this.#handlers === undefined) return;
    this.#runDue(this.#handlers);
    const [next] = this.#state.rows<{ at: number | null }>('SELECT min(at) AS at FROM due');
    if (next?.at == null) return;
    const wait = Math.min(Math.max(next.at - Date.now(), 1), LONGEST_SLEEP_MS);
    this.#timer = setTimeout(() => this.wake(), wait).unref();
  }

  #runDue(handlers: TaskHandlers): void {
    const sql = 'SELECT id, task, subject FROM due WHERE at <= ? ORDER BY at, id';
    const tasks = this.#state.rows<{ id: number; task: Task; subject: string }>(sql, Date.now());
    for (const { id, task, subject } of tasks) {
      this.#state.transaction(() => {
        handlers[task](subject);
        this.#state.run('DELETE FROM due WHERE id = ?', id);
      });
    }
    if (tasks.length > 0) this.#afterwards();
  }
}
