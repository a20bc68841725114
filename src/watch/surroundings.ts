/** What doctor and the start report say about the surroundings of the records: disk, certificate, networks, backups. */
import { existsSync, readFileSync } from 'node:fs';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { explainReleaseAge } from '#platform/config/version.ts';
import { DAY_MS, SECOND_MS } from '#platform/durations.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { checkMail } from '#platform/mail/mail.ts';
import { isTooWide } from '#platform/net/networks.ts';
import { isToldOffset } from '#store/clock-guard.ts';
import { createKeyring, toMasterKeyPath } from '#store/keys/keyring.ts';
import { findMasterKeyFault, listMasterKeys, MASTER_KEY_REFUSALS } from '#store/keys/master-keys.ts';
import { describeBackupAge, readLastBackup } from '#store/last-backup.ts';
import { isBelowFloor, measureDisk } from '#store/limits/storage-caps.ts';
import type { Records } from '#store/schema/tables.ts';

/** One observation, as a sentence that says what to do. */
export interface Observation {
  /** `look`: it can wait for the next working day; `act`: it cannot. */
  readonly level: 'fine' | 'look' | 'act';
  readonly text: string;
}

/** Returns a list, because each inspection may find nothing, one thing or, rarely, more. */
export function observe(level: Observation['level'], text: string): Observation[] {
  return [{ level, text }];
}

/** Certificates are renewed a month before they expire; this leaves two weeks to find out why one was not. */
const CERTIFICATE_NOTICE_MS = 14 * DAY_MS;
const CERTIFICATE_URGENT_MS = 7 * DAY_MS;
/** Warns at this multiple of the free space below which uploads are refused. */
const EARLY = 2;

/** Cheap enough to run at each start. */
export async function inspectSurroundings(config: Config, clock: Clock): Promise<Observation[]> {
  const age = explainReleaseAge(clock.now());
  return [
    ...(age === null ? [] : observe('look', age)),
    ...(await inspectDisk(config.dataDir)),
    ...(await inspectCertificate(config, clock)),
    ...inspectDeskNetworks(config.deskNetworks),
  ];
}

/** A stolen key is of use only to someone who can reach the desk API. */
function inspectDeskNetworks(networks: readonly string[]): Observation[] {
  const wide = networks.filter(isTooWide);
  if (wide.length > 0)
    return observe(
      'look',
      `DESK_NETWORKS lets half of the internet reach the desk API (${wide.join(', ')}): name the networks of your investigators, such as that of a VPN.`,
    );
  const single = networks.filter((network) => /^\d+\.\d+\.\d+\.0$/.test(network));
  if (single.length === 0) return [];
  return observe(
    'look',
    `DESK_NETWORKS has the single address ${single.join(', ')}: for a network, add its prefix length, such as ${single[0]}/24.`,
  );
}

/** PostgreSQL's clock decides, so a wrong clock on this machine only affects the times in the log. */
export function inspectClockOffset(offsetMs: number): Observation[] {
  if (!isToldOffset(offsetMs)) return [];
  const seconds = Math.round(Math.abs(offsetMs) / SECOND_MS);
  return observe(
    'look',
    `The clock of this machine is ${seconds} seconds ${offsetMs > 0 ? 'behind' : 'ahead of'} PostgreSQL's, which is the one that counts: synchronize both with time servers.`,
  );
}

async function inspectDisk(folder: string): Promise<Observation[]> {
  const space = await measureDisk(folder, 0);
  if (!space || !isBelowFloor(space, 0, EARLY)) return [];
  const free = `${Math.floor(space.free / 1024 ** 2)} MiB are free for ${folder}`;
  return isBelowFloor(space, 0, 1)
    ? observe('act', `The disk is full or nearly so: ${free}, and uploads are refused. Make room.`)
    : observe('look', `The disk is filling up: ${free}. Make room before uploads are refused.`);
}

/** Only for the operator's own files: a certificate that the service makes is renewed automatically. */
async function inspectCertificate(config: Config, clock: Clock): Promise<Observation[]> {
  if (!config.tls.files) return [];
  try {
    const certificate = await loadCertificate(config, clock);
    const end = Date.parse(certificate?.validTo ?? '');
    return inspectCertificateEnd(config.tls.files.cert, end, clock.now());
  } catch (error) {
    if (error instanceof ProgramError) return observe('act', error.message);
    throw error;
  }
}

/** `name`: the certificate's file, or where the certificate was seen. */
export function inspectCertificateEnd(name: string, end: number, now: number): Observation[] {
  const left = end - now;
  if (!(left < CERTIFICATE_NOTICE_MS)) return [];
  const day = new Date(end).toISOString().slice(0, 10);
  if (left <= 0)
    return observe(
      'act',
      `The certificate ${name} expired on ${day}: browsers refuse the site. Renew it, then reload the service or the proxy.`,
    );
  return observe(
    left < CERTIFICATE_URGENT_MS ? 'act' : 'look',
    `The certificate ${name} expires on ${day}: find out why it was not renewed, renew it, then reload the service or the proxy.`,
  );
}

export async function inspectMail(config: Config): Promise<Observation[]> {
  const fault = await checkMail(config);
  return fault === null ? [] : observe('act', `E-mails are queued, and dropped after some days: ${fault}`);
}

/** Does not create the key. */
export function readMasterKey({ dataDir, store: { masterKey } }: Pick<Config, 'dataDir' | 'store'>) {
  const path = toMasterKeyPath(dataDir);
  return masterKey ?? (existsSync(path) ? readFileSync(path, 'utf8').trim() : null);
}

/** The key itself is never shown; a data folder without one gets it at the first start. */
export async function inspectMasterKey(records: Records, config: Config): Promise<Observation[]> {
  const path = toMasterKeyPath(config.dataDir);
  const key = readMasterKey(config);
  if (key === null && (await listMasterKeys(records)).length > 0)
    return observe(
      'act',
      `The service does not start: ${path} is missing, but these records were written with its key. Put it back, or set MASTER_KEY.`,
    );
  const fault = key === null ? null : await findMasterKeyFault(records, createKeyring(key));
  return fault === 'other' ? observe('act', `The service does not start: ${MASTER_KEY_REFUSALS.other}.`) : [];
}

export async function inspectBackups(
  records: Records,
  { production, backupHours }: Config,
  now: number,
): Promise<Observation[]> {
  const last = await readLastBackup(records);
  const age = describeBackupAge(last, now, backupHours);
  if (age !== null) return observe('look', `${age} Check the output of ${PROGRAM_NAME} backup.`);
  if (!production || last.recordsAt !== null) return [];
  return observe(
    'look',
    `No backup has been made yet, or none since a restore: run ${PROGRAM_NAME} backup once a day (docs/operating.md). Without a backup, a disk failure destroys every case.`,
  );
}
