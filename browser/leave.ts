/** The script of confidential pages that have no other. */
import { offerLeaving } from './leaving.ts';

offerLeaving();
