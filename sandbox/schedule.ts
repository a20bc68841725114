/** Runs tasks when they are due: expires sessions, settles delayed payments, fails refunds. */
import type { SandboxState } from './state.ts';

export type DueTask = 'expire_session' | 'settle_payment' | 'fail_payment' | 'fail_refund';
export type DueTaskHandlers = Readonly<Record<DueTask, (subject: string) => void>>;

/** Node timers overflow after 24 days; checking every minute costs nothing. */
const MAX_SLEEP_MS = 60_000;

export class DueTaskSchedule {
  readonly #state: SandboxState;
  #handlers: DueTaskHandlers | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(state: SandboxState) {
    this.#state = state;
  }

  addTask(task: DueTask, subject: string, at: number): void {
    this.#state.runStatement('INSERT INTO due (task, subject, at) VALUES (?, ?, ?)', task, subject, at);
    this.#sleepUntilNext();
  }

  start(handlers: DueTaskHandlers): void {
    this.#handlers = handlers;
    this.wake();
  }

  stop(): void {
    this.#handlers = undefined;
    clearTimeout(this.#timer);
  }

  /** Runs every task of a subject now, whatever its time. */
  runAhead(subject: string): void {
    this.#state.runStatement('UPDATE due SET at = 0 WHERE subject = ?', subject);
    this.wake();
  }

  /** Runs what is due now and sleeps until the next task. */
  wake(): void {
    if (this.#handlers === undefined) return;
    this.#runDueTasks(this.#handlers);
    this.#sleepUntilNext();
  }

  #sleepUntilNext(): void {
    clearTimeout(this.#timer);
    const [next] = this.#state.queryRows<{ at: number | null }>('SELECT min(at) AS at FROM due');
    if (next?.at == null) return;
    const wait = Math.min(Math.max(next.at - Date.now(), 1), MAX_SLEEP_MS);
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
  }
}
