/** The name of the command line, `bin` in package.json, for texts that say what to type. */
export const PROGRAM_NAME = 'office';
