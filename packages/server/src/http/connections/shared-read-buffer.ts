import { Socket } from 'node:net';
import { SHARED_READ_BYTES } from '../../limits/http.ts';

/** Receives the first `length` bytes of the buffer during the call. False: stop reading until the socket is resumed. */
type OnBytes = (length: number, buffer: Buffer) => boolean;

/** The properties of a socket in which Node keeps the option `onread` of `new Socket`. */
interface ReadOptionKeys {
  readonly buffer: symbol;
  readonly callback: symbol;
}

/** The members of a socket and of its handle that hold the option. */
type ReadOptionHolder = Socket & {
  [key: symbol]: unknown;
  readonly _handle?: { useUserBuffer?(buffer: Buffer): void } | null;
};

/** Libuv fills it and calls the listener of the socket before it reads the next socket. */
const buffer = Buffer.allocUnsafeSlow(SHARED_READ_BYTES);
/** Windows fills the buffers of several sockets at the same time. */
const keys = process.platform === 'win32' ? null : findReadOptionKeys();

/**
 * Has Node read all bytes of a socket into one buffer of this process. By default Node allocates 64 KB for each read,
 * which takes a tenth of the time of a small request. Node offers this as the option `onread` of `new Socket`, but not
 * for sockets that a server accepts. Returns false, and changes nothing, if this version of Node keeps the option
 * in another way.
 */
export function readIntoSharedBuffer(socket: Socket, onBytes: OnBytes): boolean {
  const holder = socket as ReadOptionHolder;
  const handle = holder._handle;
  if (keys === null || typeof handle?.useUserBuffer !== 'function' || holder[keys.buffer] !== null) return false;
  holder[keys.buffer] = buffer;
  holder[keys.callback] = onBytes;
  handle.useUserBuffer(buffer);
  return true;
}

/** Finds the properties by the values that Node stores in them. Null if there are no such properties. */
function findReadOptionKeys(): ReadOptionKeys | null {
  const callback = () => true;
  const probe = new Socket({ onread: { buffer, callback } }) as ReadOptionHolder;
  const symbols = Object.getOwnPropertySymbols(probe);
  const bufferKey = symbols.find((key) => probe[key] === buffer);
  const callbackKey = symbols.find((key) => probe[key] === callback);
  return bufferKey === undefined || callbackKey === undefined ? null : { buffer: bufferKey, callback: callbackKey };
}
