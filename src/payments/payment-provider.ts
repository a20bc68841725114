/** What the service needs from a payment provider. Only `provider/` knows which one is used. */
import type { IncomingHttpHeaders } from 'node:http';

export interface PaymentProvider {
  /** True if a checkout would be attempted now. */
  readonly configured: boolean;
  readonly livemode: boolean;
  /** The origin of its pages, where a buyer is sent to pay. */
  readonly pagesOrigin: string;
  /** Throws while too many calls are under way. */
  requireCapacity(): void;
  /** Idempotent: the same order gets the same session. */
  createSession(request: SessionRequest): Promise<{ readonly id: string; readonly url: string }>;
  expireSession(id: string): Promise<void>;
  /** Null if the provider does not know the session. */
  fetchFacts(sessionId: string): Promise<PaymentFacts | null>;
  /** Throws unless the signature is valid and recent. */
  verifyEvent(body: Buffer, headers: IncomingHttpHeaders): Promise<PaymentEvent>;
}

export interface SessionRequest {
  readonly orderId: string;
  readonly amount: number;
  readonly currency: string;
  /** Shown on the payment page and the receipt. */
  readonly name: string;
  readonly description: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Where the buyer returns to. The provider replaces its own placeholder with the id of the session. */
  readonly buildSuccessUrl: (sessionId: string) => string;
  readonly cancelUrl: string;
  /** The language of the payment page; by default, the browser decides. Only for a request that is never repeated. */
  readonly locale?: string;
}

export interface PaymentFacts {
  /** The order id that we stored in the session. */
  readonly orderId: string | null;
  readonly mode: string;
  readonly livemode: boolean;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly status: 'open' | 'complete' | 'expired';
  readonly paid: boolean;
  /** A delayed payment that has neither succeeded nor failed yet. */
  readonly processing: boolean;
  readonly fullyRefunded: boolean;
  /** The worst of all disputes about the payment. */
  readonly dispute: 'none' | 'open' | 'won' | 'lost';
  /** What the buyer entered on the payment page. */
  readonly payer: { readonly email: string | null; readonly locale: string | null };
}

export interface PaymentEvent {
  readonly id: string;
  readonly livemode: boolean;
  /** The buyer has paid: answering 200 without finding the order would lose the payment. */
  readonly mustResolve: boolean;
  /** Finds the session of the event; null if it has none. */
  readonly findSession: () => Promise<string | null>;
}

export type ProviderOutcome = 'ok' | 'unavailable' | 'key_rejected' | 'refused' | 'too_many';
export type ProviderCallObserver = (outcome: ProviderOutcome, seconds: number) => void;
