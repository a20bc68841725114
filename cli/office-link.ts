/** A session at an office for the time of one command. */
import type { RememberedPerson } from '#desk-program/keys/people-file.ts';
import type { CaseWriterParts } from '#desk-program/office/case-writer.ts';
import { connectSigner } from '#desk-program/office/connect.ts';
import { listKnownPeople } from '#desk-program/office/office-people.ts';
import { computeHolder } from '#seal/holder.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import type { OfficeAccess } from './pinning-key.ts';

export interface OfficeLink extends CaseWriterParts {
  /** Who works there, as the office says. */
  readonly people: readonly DeskPersonView[];
  /** By the names that the investigator has confirmed. */
  readonly known: readonly RememberedPerson[];
}

/** The session ends with the work. */
export async function withOfficeLink<Result>(
  { office, ...key }: OfficeAccess,
  work: (link: OfficeLink) => Promise<Result>,
): Promise<Result> {
  const { signer, recipient, close } = await connectSigner({ ...office, key });
  try {
    const { people } = await signer.signIn();
    const { origin } = office.address;
    const holder = computeHolder(recipient);
    const known = await listKnownPeople(key, origin, { holder, people });
    return await work({ signer, key, origin, holder, cases: new Map(), people, known });
  } finally {
    // It ends by itself if the office is not there any more.
    await signer.signOut().catch(() => undefined);
    close();
  }
}
