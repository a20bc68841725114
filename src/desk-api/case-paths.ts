/** The desk's paths of a case. Every part has a pattern, because the router itself would answer an overlong part. */
import { ID_PATTERN } from '#platform/text/id-pattern.ts';

export const DESK_CASE_PATH = `/cases/:case(^${ID_PATTERN}$)`;
export const OBJECT_PIECE_PATH = `${DESK_CASE_PATH}/objects/:kind(^[a-z][a-z0-9.-]{0,39}$)/:seq(^[0-9]{1,6}$)/pieces/:piece(^[0-9]{1,4}$)`;
export const UPLOAD_PIECE_PATH = `${DESK_CASE_PATH}/uploads/:upload(^${ID_PATTERN}$)/:piece(^[0-9]{1,4}$)`;

export interface DeskCaseParams {
  readonly case: string;
}
