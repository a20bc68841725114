/** The script of confidential pages that have no other script. */
import { enableQuickExit } from '#browser/ui/leave-button.ts';

enableQuickExit();
