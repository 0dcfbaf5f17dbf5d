// Suppressions of ThreadSanitizer for gRPC's callback API, which the stand-ins use. gRPC passes
// callbacks between threads by atomics, which ThreadSanitizer does not see in Debian's libraries.
// The listed functions are gRPC's own, compiled from its headers. The daemon does not use this API
// and is checked completely. Do not list functions of Patchbay here.
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
