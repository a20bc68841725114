/** Does what falls due by itself: expiry of sessions, settlement of late payments, failure of refunds. */
import type { SandboxState } from './state.ts';

export type DueTask = 'expire_session' | 'settle_payment' | 'fail_payment' | 'fail_refund';
export type DueTaskHandlers = Readonly<Record<DueTask, (subject: string) => void>>;

/** Timers of Node overflow beyond 24 days; looking again after a minute costs nothing. */
const LONGEST_SLEEP_MS = 60_000;

export class DueTaskSchedule {
  readonly #state: SandboxState;
  #handlers: DueTaskHandlers | undefined;
  #timer: NodeJS.Timeout | undefined;
  #afterwards: () => void = () => {};

  constructor(state: SandboxState) {
    this.#state = state;
  }

  addTask(task: DueTask, subject: string, at: number): void {
    this.#state.runStatement('INSERT INTO due (task, subject, at) VALUES (?, ?, ?)', task, subject, at);
  }

  start(handlers: DueTaskHandlers, afterwards: () => void): void {
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
    this.#runDueTasks(this.#handlers);
    const [next] = this.#state.queryRows<{ at: number | null }>('SELECT min(at) AS at FROM due');
    if (next?.at == null) return;
    const wait = Math.min(Math.max(next.at - Date.now(), 1), LONGEST_SLEEP_MS);
    this.#timer = setTimeout(() => this.wake(), wait).unref();
  }

  #runDueTasks(handlers: DueTaskHandlers): void {
    const sql = 'SELECT id, task, subject FROM due WHERE at <= ? ORDER BY at, id';
    const tasks = this.#state.queryRows<{ id: number; task: DueTask; subject: string }>(sql, Date.now());
    for (const { id, task, subject } of tasks) {
      this.#state.runInTransaction(() => {
        handlers[task](subject);
        this.#state.runStatement('DELETE FROM due WHERE id = ?', id);
      });
    }
    if (tasks.length > 0) this.#afterwards();
  }
}
