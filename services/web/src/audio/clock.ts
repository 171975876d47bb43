/** Seconds as "1:07". */
export const clock = (seconds: number): string => {
  const whole = Math.floor(Math.max(0, seconds))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
