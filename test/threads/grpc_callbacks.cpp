// What ThreadSanitizer is not to report of gRPC's callbacks, of which the stand-ins consist: they
// are handed from thread to thread by atomics of libraries that Debian builds without it. These are
// gRPC's own objects, as its headers compile them. The daemon has none of this: it draws its calls
// from a queue, on one thread, and is looked at whole.
//
// No function of ours may stand here.
extern "C" const char* __tsan_default_suppressions() {
  return "race:^grpc::internal::CallOpSet\n"
         "race:^grpc::internal::CallOpSend\n"
         "race:^grpc::internal::CallOpServerSendStatus\n"
         "race:^grpc::internal::InterceptorBatchMethodsImpl\n"
         "race:^grpc::internal::CallbackWithSuccessTag::Set\n"
         "race:^grpc::internal::CallbackWithSuccessTag::Clear\n"
         "race_top:^grpc::internal::CallbackWithSuccessTag::Run\n"
         "race_top:^grpc::internal::Call::\n"
         "race_top:^grpc::internal::CallbackServerStreamingHandler\n"
         "race_top:^grpc::internal::CallbackUnaryHandler\n";
}
