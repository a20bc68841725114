/** The variables of an investigator's own machine: the office that commands work at, and the file of the private key. */
import type { EnvironmentReader } from './environment.ts';

export interface OfficeVariables {
  readonly url: string | null;
  readonly keyFile: string | null;
}

export function readOfficeVariables(reader: EnvironmentReader): OfficeVariables {
  return { url: reader.readText('OFFICE_URL') ?? null, keyFile: reader.readPath('OFFICE_KEY') ?? null };
}
