/** The gauges: what each one measures and where its value comes from. No label contains an id or personal data. */
import { countCasesByClock, DUE_SOON_HOURS } from '#cases/desk/desk-alerts.ts';
import { ENDED_STATES, OPEN_STATES } from '#cases/states.ts';
import type { Config } from '#platform/config/config.ts';
import { VERSION } from '#platform/config/version.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#platform/durations.ts';
import type { Certificate } from '#platform/http/certificate.ts';
import type { Services } from '#services.ts';
import { findOldestAwaitingReply } from '#store/cases/awaiting-reply.ts';
import { findEarliestPurge } from '#store/cases/case-counts.ts';
import { readLastBackup } from '#store/last-backup.ts';
import { CAPPED_KINDS, measureDisk } from '#store/limits/storage-caps.ts';
import { countOutbox } from '#store/outbox.ts';
import type { CaseState } from '#wire/case-states.ts';
import { checkReadiness } from './readiness.ts';

export interface GaugeSources {
  readonly config: Pick<Config, 'dataDir'>;
  readonly services: Pick<Services, 'clock' | 'clockGuard' | 'drain' | 'keyring' | 'store' | 'sealingKeys'>;
  readonly getCertificate: () => Certificate | null;
}

/** A value, or one for each value of the label; null if there is nothing to report. */
type Reading = number | null | Readonly<Record<string, number | null>>;

interface GaugeDefinition {
  readonly help: string;
  readonly label?: string;
  readonly read: (sources: GaugeSources) => Reading | Promise<Reading>;
}

/** A scraper stores what it reads, even after a purge, so times of single cases are coarse. */
const COARSE_MS = HOUR_MS / 4;

export const gaugeDefinitions: Readonly<Record<string, GaugeDefinition>> = {
  office_build_info: {
    help: 'Always 1; the version is its label',
    label: 'version',
    read: () => ({ [VERSION]: 1 }),
  },
  office_check_ok: {
    help: 'The checks of readiness: 1 if passed; the service is ready if all are',
    label: 'check',
    read: readChecks,
  },
  office_last_write_age_seconds: {
    help: 'Since the periodic write to the database last worked',
    read: ({ services: { store } }) => store.readLastWrite().ageMs / SECOND_MS,
  },
  office_clock_alarm: {
    help: '1 while there is clock skew and nothing is purged',
    read: ({ services: { clockGuard } }) => Number(clockGuard.getAlarm() !== null),
  },
  office_cases_due_soon: {
    help: `Open cases that are due within ${DUE_SOON_HOURS} hours`,
    read: async (sources) => (await countOpenCases(sources)).due,
  },
  office_cases_late: {
    help: 'Open cases that are past their due time',
    read: async (sources) => (await countOpenCases(sources)).late,
  },
  office_unanswered_message_age_seconds: {
    help: 'Age of the oldest message of a buyer that the desk has not answered, in quarters of an hour, by phase of the case',
    label: 'phase',
    read: async (sources) => ({
      open: await readAwaitingReplyAge(sources, OPEN_STATES),
      answered: await readAwaitingReplyAge(sources, ENDED_STATES),
    }),
  },
  office_outbox_entries: {
    help: 'E-mails that are due and waiting, and those that were given up on',
    label: 'state',
    read: async ({ services: { clock, store } }) => {
      const { waiting, dead } = await countOutbox(store.records, clock.now());
      return { waiting, dead };
    },
  },
  office_outbox_oldest_age_seconds: {
    help: 'How long the oldest e-mail that is due has waited; 0 if none does',
    read: async ({ services: { clock, store } }) => {
      const { oldestSince } = await countOutbox(store.records, clock.now());
      return oldestSince === null ? 0 : Math.max(0, clock.now() - oldestSince) / SECOND_MS;
    },
  },
  office_purge_lag_seconds: {
    help: 'How long the oldest due purge has been due; 0 if none is',
    label: 'kind',
    read: async ({ services: { clock, store } }) => {
      const computeLag = (at: number | null) => Math.max(0, clock.now() - (at ?? Infinity)) / SECOND_MS;
      return {
        cases: computeLag(await findEarliestPurge(store.records, 'cases')),
        contact_messages: computeLag(await findEarliestPurge(store.records, 'contact_messages')),
      };
    },
  },
  office_next_purge_timestamp_seconds: {
    help: 'When the next case is to be purged, to the hour',
    read: async ({ services: { store } }) => {
      const at = await findEarliestPurge(store.records, 'cases');
      return at === null ? null : (Math.ceil(at / HOUR_MS) * HOUR_MS) / SECOND_MS;
    },
  },
  office_backup_age_seconds: {
    help: 'Since records and shred keys were last backed up; absent for a part that never was',
    label: 'part',
    read: async ({ services: { clock, store } }) => {
      const { recordsAt, keysAt } = await readLastBackup(store.records);
      const computeAge = (at: number | null) => at && Math.max(0, clock.now() - at) / SECOND_MS;
      return { records: computeAge(recordsAt), keys: computeAge(keysAt) };
    },
  },
  office_storage_closed: {
    help: '1 for a kind of data from strangers that has no room left',
    label: 'kind',
    read: readClosedKinds,
  },
  office_disk_free_bytes: {
    help: 'Free space of the disk with DATA_DIR',
    read: async ({ config: { dataDir } }) => (await measureDisk(dataDir, 0))?.free ?? null,
  },
  office_certificate_days_left: {
    help: 'Until the certificate of the listener expires; absent behind a TLS proxy',
    read: ({ services: { clock }, getCertificate }) => {
      const certificate = getCertificate();
      return certificate && (Date.parse(certificate.validTo) - clock.now()) / DAY_MS;
    },
  },
};

async function readChecks({ services }: GaugeSources): Promise<Reading> {
  const checks = await checkReadiness(services);
  return Object.fromEntries(checks.map(({ name, ok }) => [name, Number(ok)]));
}

async function countOpenCases({ services: { clock, store } }: GaugeSources) {
  return await countCasesByClock(store.records, clock.now(), DUE_SOON_HOURS * HOUR_MS);
}

async function readAwaitingReplyAge(
  { services: { clock, store } }: GaugeSources,
  states: readonly CaseState[],
): Promise<number> {
  const sentAt = await findOldestAwaitingReply(store.records, states);
  const ageMs = sentAt === null ? 0 : Math.max(0, clock.now() - sentAt);
  return (Math.floor(ageMs / COARSE_MS) * COARSE_MS) / SECOND_MS;
}

async function readClosedKinds({ services: { store } }: GaugeSources): Promise<Reading> {
  const entries = CAPPED_KINDS.map(
    async (kind) => [kind, Number(!(await store.gate.hasRoom({ kind, bytes: 0 })))] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}
