import { signal } from "@preact/signals";
import type { WaitingApproval } from "../../../client/contract.ts";
import { readableText } from "../model/parts.ts";
import { pathOfSession } from "../model/route.ts";
import { navigate } from "./router.ts";

type Notifications = "impossible" | NotificationPermission;

/** Notifications need a secure context: a page over plain HTTP from another machine has none. */
export const notifications = signal<Notifications>(
  "Notification" in window && isSecureContext ? Notification.permission : "impossible",
);

/** Only ever called because the person pressed a button. */
export async function askForNotifications(): Promise<void> {
  notifications.value = await Notification.requestPermission();
}

/** Tells of approvals that came while nobody looked at the page. */
export function notifyWaiting(fresh: readonly WaitingApproval[]): void {
  if (notifications.value !== "granted" || !document.hidden) return;
  for (const { approval, sessionId, title } of fresh.slice(0, 3)) {
    const notification = new Notification(`${approval.toolName} waits: ${readableText(title)}`, {
      body: readableText(approval.summary).slice(0, 200),
      tag: approval.id,
    });
    notification.onclick = () => {
      focus();
      navigate(pathOfSession(sessionId));
      notification.close();
    };
  }
}
