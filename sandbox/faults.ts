/** Faults that tests inject, and the calls that they count; held in memory only. */
import { type Static, Type } from 'typebox';
import type { RawParameters } from './parameters.ts';

const Closed = { additionalProperties: false };
const Milliseconds = Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 }));
const Always = Type.Literal(true);
const Flag = Type.Optional(Always);

const ApiFault = Type.Object(
  {
    /** Method and route template, such as `GET /v1/checkout/sessions/{id}`. */
    match: Type.String(),
    /** Number of calls that fail; every call if missing. */
    times: Type.Optional(Type.Integer({ minimum: 1 })),
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    /** Tells the caller not to retry, as the provider can. */
    final: Flag,
    hang: Flag,
    reset: Flag,
    /** Performs the call and stores its response first: the response is lost, not the request. */
    after_effect: Flag,
  },
  Closed,
);
export type ApiFault = Static<typeof ApiFault>;

export const FaultSwitches = Type.Object(
  {
    api: Type.Optional(Type.Array(ApiFault)),
    webhooks: Type.Optional(Type.Object({ lose: Always }, Closed)),
    refunds: Type.Optional(Type.Object({ fail: Always, after_ms: Milliseconds }, Closed)),
    settle_after_ms: Milliseconds,
  },
  Closed,
);
type FaultSwitches = Static<typeof FaultSwitches>;

const DEFAULT_SETTLE_MS = 5000;
const DEFAULT_REFUND_FAILURE_MS = 1000;

export class FaultSwitchboard {
  #switches: FaultSwitches = {};

  get switches(): FaultSwitches {
    return this.#switches;
  }

  replaceSwitches(switches: FaultSwitches): void {
    this.#switches = structuredClone(switches);
  }

  /** Returns the fault for this call, if there is one, and counts it as used. */
  consumeCallFault(call: string): ApiFault | undefined {
    const fault = this.#switches.api?.find(({ match, times }) => match === call && times !== 0);
    if (fault?.times !== undefined) fault.times -= 1;
    return fault;
  }

  /** Whether events are stored, but never delivered. */
  get losesEvents(): boolean {
    return this.#switches.webhooks !== undefined;
  }

  /** After how many milliseconds a refund fails; undefined if it succeeds. */
  get refundFailsAfterMs(): number | undefined {
    const { refunds } = this.#switches;
    return refunds && (refunds.after_ms ?? DEFAULT_REFUND_FAILURE_MS);
  }

  get settleAfterMs(): number {
    return this.#switches.settle_after_ms ?? DEFAULT_SETTLE_MS;
  }
}

/** A call that creates a session; the latest ones are recorded with their parameters. */
export interface SessionCreateCall {
  readonly idempotency_key: string | null;
  readonly params: RawParameters;
}

const MAX_RECORDED_CREATES = 100;

export class CallRecorder {
  #counts = new Map<string, number>();
  #creates: SessionCreateCall[] = [];

  countCall(call: string): void {
    this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
  }

  recordCreate(create: SessionCreateCall): void {
    this.#creates = [...this.#creates, create].slice(-MAX_RECORDED_CREATES);
  }

  clear(): void {
    this.#counts = new Map();
    this.#creates = [];
  }

  toReport(): { counts: Record<string, number>; session_creates: readonly SessionCreateCall[] } {
    return { counts: Object.fromEntries(this.#counts), session_creates: this.#creates };
  }
}
