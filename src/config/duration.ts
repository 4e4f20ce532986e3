/** `30s`, `15m`, `2h`, `1d`. */
export const durationPattern = "^[1-9][0-9]{0,4}[smhd]$";

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Of a text that `durationPattern` fits. */
export const milliseconds = (text: string): number =>
  Number(text.slice(0, -1)) * units[text.at(-1) as keyof typeof units];
