/** A session at an office for the time of one command. */
import type { CaseWriterParts } from '#desk-program/office/case-writer.ts';
import { connectSigner } from '#desk-program/office/connect.ts';
import { computeHolder } from '#seal/holder.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import type { OfficeAccess } from './pinning-key.ts';

export interface OfficeLink extends CaseWriterParts {
  /** Who works there, as the office says. */
  readonly people: readonly DeskPersonView[];
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
    return await work({ signer, key, origin, holder: computeHolder(recipient), cases: new Map(), people });
  } finally {
    // It ends by itself if the office is not there any more.
    await signer.signOut().catch(() => undefined);
    close();
  }
}
