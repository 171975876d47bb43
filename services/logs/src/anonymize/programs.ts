/** A program with the number of its process, where a line names who wrote it: behind a time and a host at most. */
const writer = /^(?:\S{1,64}\s{1,4}){0,6}?([\p{L}_][\p{L}\p{N}_.@/-]{0,63})(?:\([^()\s]{1,64}\))?\[\d{1,10}\]:(?=\s|$)/u

/** The program that wrote a line, where the line says so in the way of syslog. */
export const writerOf = (text: string): string | undefined => writer.exec(text)?.[1]
