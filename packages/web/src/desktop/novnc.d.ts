/** The part of noVNC that is used here. */
declare module '@novnc/novnc' {
  export interface RawChannel {
    readonly send: (data: ArrayBufferView<ArrayBuffer>) => void;
    readonly close: () => void;
    binaryType: string;
    readonly protocol: string;
    readonly readyState: string | number;
    onopen: ((event: Event) => void) | null;
    onmessage: ((event: { readonly data: ArrayBuffer }) => void) | null;
    onerror: ((event: Event) => void) | null;
    onclose: ((event: CloseEvent) => void) | null;
  }

  export default class RFB extends EventTarget {
    constructor(target: Element, channel: RawChannel, options?: { readonly shared?: boolean });
    viewOnly: boolean;
    scaleViewport: boolean;
    clipViewport: boolean;
    dragViewport: boolean;
    showDotCursor: boolean;
    /** 0 to 9. */
    qualityLevel: number;
    background: string;
    focusOnClick: boolean;
    disconnect(): void;
    focus(options?: FocusOptions): void;
    blur(): void;
  }
}
