/** One thing that the doctor saw, as a sentence. */
export interface Observation {
  readonly isWrong: boolean;
  readonly text: string;
}
