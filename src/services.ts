/** The services that the program creates once at start; a function picks the ones it needs. */

import type { SealingKeys } from '#cases/sealing/sealing-keys.ts';
import type { SealingSteps } from '#cases/sealing-thread/steps.ts';
import type { SiteContent, Terms } from '#content/site-content.ts';
import type { PaymentProvider } from '#payments/payment-provider.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { Clock } from '#platform/clock.ts';
import type { ContactWay } from '#platform/config/config.ts';
import type { Drain } from '#platform/http/drain.ts';
import type { Log } from '#platform/log.ts';
import type { WebhookNetwork } from '#platform/net/webhook-target.ts';
import type { SingleFlight } from '#platform/single-flight.ts';
import type { ClockGuard } from '#store/clock-guard.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { Store } from '#store/store.ts';

export interface Services {
  readonly addresses: PublicAddresses;
  readonly clock: Clock;
  /** Consulted before anything is deleted by date. */
  readonly clockGuard: ClockGuard;
  /** The drain begins when the service stops behind a proxy. */
  readonly drain: Drain;
  readonly log: Log;
  readonly keyring: Keyring;
  readonly store: Store;
  readonly paymentProvider: PaymentProvider;
  readonly singleFlight: SingleFlight;
  /** Pending only while a first start generates them. */
  readonly sealingKeys: Promise<SealingKeys>;
  /** Seals and opens what people send without a script, outside the thread that answers requests. */
  readonly sealing: SealingSteps;
  /** The operator's texts. */
  readonly content: SiteContent;
  /** The ways to contact a buyer that the form offers besides the case page. */
  readonly contactWays: readonly ContactWay[];
  /** The hosts whose client metadata documents are accepted in place of a registration. */
  readonly clientDocumentHosts: readonly string[];
  /** Where webhooks may be sent, and where client metadata documents may be fetched from. */
  readonly webhookNetwork: WebhookNetwork;
  /** The terms in force at this instance. */
  readonly terms: Terms;
}
