/** A program with its process id at the start of a line, after at most a time and a host. */
const writer = /^(?:\S{1,64}\s{1,4}){0,6}?([\p{L}_][\p{L}\p{N}_.@/-]{0,63})(?:\([^()\s]{1,64}\))?\[\d{1,10}\]:(?=\s|$)/u

/** The program that wrote a line, if the line names it in syslog format. */
export const writerOf = (text: string): string | undefined => writer.exec(text)?.[1]
