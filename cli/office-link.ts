/** A session at an office for the time of one command. */
import type { CaseWriterParts } from '#desk-program/office/case-writer.ts';
import { connectSigner } from '#desk-program/office/connect.ts';
import { OfficeFault } from '#desk-program/office/office.ts';
import { listKnownPeople } from '#desk-program/office/office-people.ts';
import type { OfficeSigner } from '#desk-program/office/office-session.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { computeHolder } from '#seal/holder.ts';
import type { DeskPersonView, DeskSession } from '#wire/desk-session.ts';
import { CommandFailure } from './failure.ts';
import { type HolderNames, listOfficeNames } from './holder-name.ts';
import type { OfficeAccess } from './office-option.ts';

export interface OfficeLink extends CaseWriterParts {
  /** Who works there, as the office says. */
  readonly people: readonly DeskPersonView[];
  /** Those that the investigator has confirmed. */
  readonly names: HolderNames;
}

/** The session ends with the work. */
export async function withOfficeLink<Result>(
  access: OfficeAccess,
  work: (link: OfficeLink) => Promise<Result>,
): Promise<Result> {
  const { key } = access;
  const { signer, recipient, close } = await connectSigner(access);
  try {
    const { people } = await signInAtOffice(signer, access);
    const { origin } = access.address;
    const holder = computeHolder(recipient);
    const names = listOfficeNames(await listKnownPeople(key, origin, { holder, people }));
    return await work({ signer, key, origin, holder, cases: new Map(), people, names });
  } finally {
    // It ends by itself if the office is not there any more.
    await signer.signOut().catch(() => undefined);
    close();
  }
}

async function signInAtOffice(signer: OfficeSigner, { isOwn, address }: OfficeAccess): Promise<DeskSession> {
  try {
    return await signer.signIn();
  } catch (error) {
    if (!isOwn || !(error instanceof OfficeFault)) throw error;
    if (error.code === 'not_for_desk')
      throw new CommandFailure(
        'The service does not let this machine in as a desk: add 127.0.0.0/8,::1 to DESK_NETWORKS or, behind a proxy on this machine, give --connect 127.0.0.1:443.',
        EXIT_CODES.noPermission,
        error,
      );
    if (error.code !== 'unreachable') throw error;
    throw new CommandFailure(
      `The service of this machine (${address.origin}) is not running: start it, or give --office ADDRESS for another one.`,
      EXIT_CODES.unavailable,
      error,
    );
  }
}
