/** A session at an office for the duration of one command. */
import { connectOffice, type OfficeClient } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { OfficeSession } from '#desk/office/office-people.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { type InvestigatorNames, listOfficeNames } from './cases/assignee-name.ts';
import type { OfficeAccess } from './office-option.ts';

export interface OfficeLink {
  readonly office: OfficeClient;
  /** The names of the office's people whom the investigator has confirmed. */
  readonly names: InvestigatorNames;
}

/** The session ends with the work. */
export async function withOfficeLink<Result>(
  access: OfficeAccess,
  work: (link: OfficeLink) => Promise<Result>,
): Promise<Result> {
  const office = await connectOffice(access);
  try {
    const { known } = await signInAtOffice(office, access);
    return await work({ office, names: listOfficeNames(known) });
  } finally {
    // If the office is gone, the session expires by itself.
    await office.signOut().catch(() => undefined);
    office.close();
  }
}

async function signInAtOffice(
  office: OfficeClient,
  { isOwn, address }: OfficeAccess,
): Promise<OfficeSession> {
  try {
    return await office.signIn();
  } catch (error) {
    if (!isOwn || !(error instanceof OfficeFault)) throw error;
    if (error.code === 'not_for_desk')
      throw new ProgramError(
        'The service does not accept this machine as a desk: add 127.0.0.0/8,::1 to DESK_NETWORKS or, behind a proxy on this machine, use --connect 127.0.0.1:443.',
        EXIT_CODES.noPermission,
        error,
      );
    if (error.code !== 'unreachable') throw error;
    throw new ProgramError(
      `The service of this machine (${address.origin}) is not running: start it, or use --office ADDRESS for another one.`,
      EXIT_CODES.unavailable,
      error,
    );
  }
}
